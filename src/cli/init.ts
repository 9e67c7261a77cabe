import { Command } from 'commander'

export function initVerb(): Command {
  return new Command('init')
    .description('Write a settings file and a place for the secrets, ready to be filled in.')
    .argument('[folder]', 'where to write attestd.yaml and secrets/', '.')
    .option('--service-url <url>', 'origin of the service', 'https://verify.example')
    .action(async (folder: string, { serviceUrl }: { serviceUrl: string }) => {
      const { initFolder } = await import('../app/init.js')
      const { config, secrets } = await initFolder(folder, serviceUrl)
      process.stdout.write(`Written: ${config}
Put the access key and the signing secret into
  ${secrets.join('\n  ')}
then check and run:
  npx attestd doctor --config ${config}
  npx attestd run --config ${config}
`)
    })
}

import { Command, Option } from 'commander'
import type { InitFiles, InitRequest } from '../app/verbs/init.js'
import { packagePath } from '../core/files.js'
import { printLines } from './terminal/print.js'

const EXAMPLE = 'https://verify.example'

/** `attestd init`; reads no settings. What it prints is what remains to be done by hand, which differs by API. */
export function initVerb(): Command {
  return new Command('init')
    .description('Write a settings file and a place for the secrets, ready to be filled in.')
    .argument('[folder]', 'where to write attestd.yaml and secrets/', '.')
    .option('--service-url <url>', 'origin of the service', EXAMPLE)
    .addOption(
      new Option('--api <api>', 'which API the service speaks')
        .choices(['signed-key', 'wallet-session'])
        .default('signed-key'),
    )
    .action(async (folder: string, request: Omit<InitRequest, 'detectors'>) => {
      const { initFolder } = await import('../app/verbs/init.js')
      const { surveyModels, weightsLines } = await import('../app/verbs/models.js')
      const models = await surveyModels({ modelsDir: packagePath('models'), detectors: [] })
      const detectors = models.flatMap(({ id, part }) => (part === null || part.unlisted ? [] : [id]))
      const files = await initFolder(folder, { ...request, detectors })
      printLines([
        `Written: ${files.config}`,
        'Weights of the detector packages:',
        ...weightsLines(models).map((line) => `  ${line}`),
        ...(request.serviceUrl === EXAMPLE ? [`Set service.url in ${files.config}: ${EXAMPLE} is an example.`] : []),
        ...(files.keystore ? walletHint(files, files.keystore) : keyHint(files)),
        'then check and run:',
        `  npx attestd doctor --config ${files.config}`,
        `  npx attestd run --config ${files.config}`,
      ])
    })
}

const keyHint = ({ secrets }: InitFiles): string[] => [
  'Put the access key and the signing secret into',
  ...secrets.map((file) => `  ${file}`),
]

function walletHint({ config, secrets }: InitFiles, keystore: string): string[] {
  return [
    'Put the private key of the wallet into',
    ...secrets.map((file) => `  ${file}`),
    `or make an encrypted one and name it in ${config}:`,
    `  npx attestd wallet create ${keystore}`,
    'Name the stake contract there too (chain.stakeContract),',
  ]
}

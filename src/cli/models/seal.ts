import type { Command } from 'commander'
import { fileArgument } from '../flags/files.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printLines } from '../terminal/print.js'
import { withStop } from './lab-flags.js'

export function modelsSealVerb(): Command {
  const verb = verbWithSettings(
    'seal',
    'Complete the manifest of your own package: digests of its files, risk of its sample, version.',
    ['detectorTimeoutMs', 'detectorMemoryMb', 'detectorToken', 'ffmpeg'],
  )
    .argument('<folder>', 'the package: detector.json and the files that it names')
    .option('--set-version <version>', 'version of the package (default: 1.0.0 at first, then the next patch version)')
  return verb.action(async (named: string, { setVersion }: { readonly setVersion?: string }) => {
    const folder = await fileArgument('<folder>', named, 'folder')
    const { sealModel } = await import('../../app/lab/import-model.js')
    const { settings } = settingsOf(verb)
    const { changed, manifest } = await withStop((signal) => sealModel(settings, folder, setVersion ?? null, signal))
    const { files, id, selfTest, version } = manifest
    printLines([
      changed ? `Sealed: ${id}@${version}` : `${id}@${version} is already complete; nothing was written.`,
      `  ${Object.keys(files).length} files; its own sample has a risk of ${selfTest.risk} here`,
      ...(changed ? ['Next:', `  npx attestd models eval ${named} --data INDEX`] : []),
    ])
  })
}

import type { Command } from 'commander'
import { choiceText } from '../../config/detector-choice.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printText } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import { partText } from './part-text.js'

/** `attestd models reload`; of this shell's settings only a --detectors that was typed reaches the daemon. */
export function modelsReloadVerb(): Command {
  const verb = verbWithSettings(
    'reload',
    'Have the running daemon verify, warm and switch to the current detector packages, without losing a job.',
    ['dataDir', 'detectors'],
  )
  return verb.action(async () => {
    const { settings, origins } = settingsOf(verb)
    // Only what is said here and now: the daemon has a selection of its own.
    const named = origins.detectors.startsWith('--') ? settings.detectors.map(choiceText).join(',') : undefined
    const { reloadRunningDaemon } = await import('../../app/daemon/reload-detectors.js')
    const inUse = await reloadRunningDaemon(settings.dataDir, named)
    const columns = ['in use now', 'version', 'media types', 'part', 'digest'].map((title) => ({ title }))
    const rows = inUse.map(({ id, version, digest, mediaTypes, shadow, weight }) => [
      id,
      version,
      mediaTypes.join(', '),
      partText({ shadow, weight }),
      digest.slice(0, 12),
    ])
    printText(`${table(columns, rows)}\n`)
  })
}

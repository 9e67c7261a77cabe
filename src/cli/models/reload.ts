import type { Command } from 'commander'
import { choicesText } from '../../config/detector-choice.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printOrder } from './order-text.js'

/** `attestd models reload`; of this shell's settings only a --detectors that was typed reaches the daemons. */
export function modelsReloadVerb(): Command {
  const verb = verbWithSettings(
    'reload',
    'Make all daemons on the queue verify, load and switch to the current detector packages, without losing a job.',
    ['dataDir', 'detectors'],
  )
  verb.option('--json', 'JSON instead of a table')
  return verb.action(async ({ json }: { readonly json?: boolean }) => {
    const { settings, origins } = settingsOf(verb)
    // Only what is stated here and now: the daemons have their own selection.
    const named = origins.detectors.startsWith('--') ? choicesText(settings.detectors) : undefined
    const { reloadFleet } = await import('../../app/verbs/order-detectors.js')
    printOrder(json, await reloadFleet(settings.dataDir, named))
  })
}

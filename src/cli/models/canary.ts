import type { Command } from 'commander'
import { AttestdError } from '../../core/errors.js'
import { canaryText, summedRows } from '../../fleet/comparison-row.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'

export function modelsCanaryVerb(): Command {
  const verb = verbWithSettings(
    'canary',
    'Compare each candidate (id=canary:percent) with the active detectors, over the files that it scored on the whole fleet.',
    ['dataDir'],
  )
  verb.option('--json', 'JSON instead of sentences')
  return verb.action(async ({ json }: { readonly json?: boolean }) => {
    const { readStatus } = await import('../../app/verbs/status.js')
    const { fleet } = await readStatus(settingsOf(verb).settings.dataDir)
    if (!fleet) throw new AttestdError('queue-unreachable', 'The queue does not answer, so the fleet is not known.')
    const rows = summedRows(fleet.daemons.flatMap(({ canaries = [] }) => canaries))
    const none = ['No candidate has scored a file yet.']
    printFound(json, rows, () => (rows.length > 0 ? rows.map(canaryText) : none))
  })
}

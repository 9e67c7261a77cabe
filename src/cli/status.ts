import type { Command } from 'commander'
import { EXIT } from '../core/shutdown.js'
import { settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { printFound } from './terminal/print.js'

interface StatusFlags {
  readonly json?: boolean
  readonly fleet?: boolean
}

/** `attestd status`; exits with 1 where the daemon is not ready, with 75 where none runs. */
export function statusVerb(): Command {
  const verb = verbWithSettings('status', 'Show whether the running daemon is ready, and why not.', ['dataDir'])
    .option('--json', 'the whole state as JSON')
    .option('--fleet', 'all daemons on its queue, those lost in the last hour, and the work ahead of them')
  return verb.action(async ({ fleet, json }: StatusFlags) => {
    const [{ readStatus }, { fleetLines }] = await Promise.all([
      import('../app/verbs/status.js'),
      import('./fleet-text.js'),
    ])
    const status = await readStatus(settingsOf(verb).settings.dataDir)
    printFound(json, fleet ? status.fleet : status.raw, () =>
      fleet && status.fleet ? fleetLines(status.fleet) : status.lines,
    )
    process.exitCode = status.ready ? EXIT.ok : EXIT.failed
  })
}

import type { Command } from 'commander'
import { safeJson } from '../core/safe-output.js'
import { EXIT } from '../core/shutdown.js'
import { settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { printText } from './terminal/print.js'

/** `attestd status`; exits with 1 where the daemon is not ready, with 75 where none runs. */
export function statusVerb(): Command {
  const verb = verbWithSettings('status', 'Show whether the running daemon is ready, and why not.', ['dataDir']).option(
    '--json',
    'the whole state as JSON',
  )
  return verb.action(async ({ json }: { json?: boolean }) => {
    const { readStatus } = await import('../app/verbs/status.js')
    const status = await readStatus(settingsOf(verb).settings.dataDir)
    printText(json ? `${safeJson(status.raw, 2)}\n` : `${status.text}\n`)
    process.exitCode = status.ready ? EXIT.ok : EXIT.failed
  })
}

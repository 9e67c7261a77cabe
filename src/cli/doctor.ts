import type { Command } from 'commander'
import { EXIT } from '../core/shutdown.js'
import { settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { askWalletPassword } from './terminal/password-prompt.js'
import { printText } from './terminal/print.js'

const SIGNS = { ok: '✓', failed: '✗', skipped: '–' } as const

/** `attestd doctor`; prints each check as it ends, and exits with 1 where one failed. */
export function doctorVerb(): Command {
  const verb = verbWithSettings(
    'doctor',
    'Check everything that run needs: data directory, detectors, ffmpeg, queue, service, clock, key or wallet, stake, chain.',
  )
  return verb.action(async () => {
    const { settings } = settingsOf(verb)
    const { diagnose } = await import('../app/doctor/diagnose.js')
    let failures = 0
    for await (const { check, outcome, message, fix } of diagnose(settings, { askPassword: askWalletPassword })) {
      printText(`${SIGNS[outcome]} ${check.padEnd(15)} ${message}\n${fix ? `  fix             ${fix}\n` : ''}`)
      if (outcome === 'failed') failures++
    }
    process.exitCode = failures === 0 ? EXIT.ok : EXIT.failed
  })
}

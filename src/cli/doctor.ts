import type { Command } from 'commander'
import type { Diagnosis } from '../app/doctor/diagnosis.js'
import { safeJson } from '../core/safe-output.js'
import { EXIT } from '../core/shutdown.js'
import { neededToRun } from './flags/needed-settings.js'
import { settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { askWalletPassword } from './terminal/password-prompt.js'
import { printLines, printText } from './terminal/print.js'

const SIGNS = { ok: '✓', failed: '✗', skipped: '–' } as const

/** `attestd doctor`; prints each check as it ends, and exits with 1 where one failed. */
export function doctorVerb(): Command {
  const verb = verbWithSettings(
    'doctor',
    'Check everything that run needs: data directory, detectors, ffmpeg, gateways, queue, service, clock, key or wallet, stake, chain.',
  )
  verb.option('--json', 'all findings as one JSON object')
  verb.option('--test-webhook', 'send a test message to ATTESTD_WEBHOOK_URL')
  return verb.action(async ({ json, testWebhook }: { readonly json?: boolean; readonly testWebhook?: boolean }) => {
    const { diagnose } = await import('../app/doctor/diagnose.js')
    const checks: Diagnosis[] = []
    const loaded = settingsOf(verb)
    const unset = neededToRun(loaded.settings).filter((key) => loaded.settings[key] === undefined)
    for await (const found of diagnose(loaded, unset, { askPassword: askWalletPassword, testWebhook })) {
      checks.push(found)
      if (!json) printLines(linesOf(found))
    }
    const ok = checks.every(({ outcome }) => outcome !== 'failed')
    if (json) printText(`${safeJson({ ok, checks }, 2)}\n`)
    process.exitCode = ok ? EXIT.ok : EXIT.failed
  })
}

const linesOf = ({ check, outcome, message, fix }: Diagnosis): string[] => [
  `${SIGNS[outcome]} ${check.padEnd(15)} ${message}`,
  ...(fix ? [`  fix             ${fix}`] : []),
]

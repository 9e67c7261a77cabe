import type { Command } from 'commander'
import type { Diagnosis } from '../app/doctor/diagnosis.js'
import { type LoadedSettings, type SettingProblem, SettingsError } from '../config/load.js'
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
    const loaded = settingsFor(verb, json)
    const unset = neededToRun(loaded.settings).filter((key) => loaded.settings[key] === undefined)
    for await (const found of diagnose(loaded, unset, { askPassword: askWalletPassword, testWebhook })) {
      checks.push(found)
      if (!json) printLines(linesOf(found))
    }
    const ok = checks.every(({ outcome }) => outcome !== 'failed')
    if (json) printJson(ok, checks)
    process.exitCode = ok ? EXIT.ok : EXIT.failed
  })
}

/** Refused settings end every verb in the same way; a script finds them among the checks, too. @throws SettingsError */
function settingsFor(verb: Command, json = false): LoadedSettings {
  try {
    return settingsOf(verb)
  } catch (error) {
    if (json && error instanceof SettingsError) printJson(false, error.problems.map(findingOf))
    throw error
  }
}

const findingOf = ({ expected, fix, got, reason, setting }: SettingProblem): Diagnosis => ({
  check: 'settings',
  outcome: 'failed',
  message: `${setting}: expected ${expected}, got ${got}  [${reason}]`,
  fix,
})

const printJson = (ok: boolean, checks: readonly Diagnosis[]): void => printText(`${safeJson({ ok, checks }, 2)}\n`)

const linesOf = ({ check, outcome, message, fix }: Diagnosis): string[] => [
  `${SIGNS[outcome]} ${check.padEnd(15)} ${message}`,
  ...(fix ? [`  fix             ${fix}`] : []),
]

import type { Command } from 'commander'
import type { SettingKey } from '../config/settings.js'
import { safeJson } from '../core/safe-output.js'
import { EXIT } from '../core/shutdown.js'
import { shareText } from '../detect/scoring/to-detection.js'
import { storeLedgerEntry } from '../pipeline/ledger.js'
import { SCORING_KEYS, settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { printLines, printText } from './terminal/print.js'

const KEYS: readonly SettingKey[] = [
  ...SCORING_KEYS,
  'dataDir',
  'ipfsGateways',
  'contentHash',
  'mediaMaxBytes',
  'mediaTimeoutMs',
]

/** `attestd replay`; exits with 0 only where the score is the same, with 1 where that could not be proved. */
export function replayVerb(): Command {
  const verb = verbWithSettings(
    'replay',
    'Score the bytes of a recorded verdict again with the same detector, and check that the score is the same, bit for bit.',
    KEYS,
  )
    .argument('<asset>', 'asset id, as attestd scores lists it')
    .option('--json', 'record and new detection as JSON')
  return verb.action(async (assetId: string, { json }: { json?: boolean }) => {
    const { replayVerdict } = await import('../app/verbs/replay.js')
    const replay = await replayVerdict(settingsOf(verb).settings, assetId)
    const { outcome, platform, record, message } = replay
    const by = record
      ? [`${record.algorithm}, ${record.contentHash}`, `on ${platform}`, shareText(record.expectedShare)]
      : []
    if (json) printText(`${safeJson({ ...replay, record: record && storeLedgerEntry(record) }, 2)}\n`)
    else printLines([`${outcome}: ${message}`, ...by])
    process.exitCode = outcome === 'same' ? EXIT.ok : EXIT.failed
  })
}

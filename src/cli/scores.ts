import { type Command, Option } from 'commander'
import { csvLines } from '../core/csv.js'
import { percentOf } from '../core/risk.js'
import { safeJson } from '../core/safe-output.js'
import { type LedgerEntry, storeLedgerEntry } from '../pipeline/ledger.js'
import { wholeNumberFlag } from './flags/numbers.js'
import { settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { printText } from './terminal/print.js'
import { type Column, table } from './terminal/table.js'

interface ScoresFlags {
  readonly limit: string
  readonly format: 'table' | 'csv' | 'json'
  readonly json?: boolean
  readonly kind?: LedgerEntry['kind']
  readonly asset?: string
}

/** `attestd scores`; reads the files of the ledger, so that it works with a running daemon and without one. */
export function scoresVerb(): Command {
  const verb = verbWithSettings(
    'scores',
    'List recent verdicts, shadow results, abstentions, receipts and failures of this data directory.',
    ['dataDir'],
  )
    .option('--limit <count>', 'maximum number of lines', '30')
    .addOption(new Option('--format <format>', 'how to print').choices(['table', 'csv', 'json']).default('table'))
    .option('--json', 'the same as --format json')
    .addOption(
      new Option('--kind <kind>', 'only these').choices(['verdict', 'shadow', 'abstained', 'receipt', 'failed']),
    )
    .option('--asset <id>', 'only this asset: why it was scored or missed')
  return verb.action((flags: ScoresFlags) => scores(verb, flags))
}

async function scores(verb: Command, { limit, format, json, kind, asset }: ScoresFlags): Promise<void> {
  const count = wholeNumberFlag('--limit', limit, { from: 1 })
  const [{ Ledger }, { dataPaths }] = await Promise.all([import('../pipeline/ledger.js'), import('../app/data-dir.js')])
  const { dataDir } = settingsOf(verb).settings
  const wanted = (entry: LedgerEntry) => (!kind || entry.kind === kind) && (!asset || entry.assetId === asset)
  const entries = await new Ledger(dataPaths(dataDir).ledger).recent(count, wanted)
  if (entries.length === 0 && format === 'table' && !json) {
    printText(`${nothingText(dataDir, asset, kind)}\n`)
    return
  }
  printText(FORMATS[json ? 'json' : format](entries, kind === 'shadow' ? SHADOW_COLUMNS : COLUMNS))
}

/** Why there may be no entry: the ledger is that of one daemon, and begins with its data directory. */
function nothingText(dataDir: string, asset: string | undefined, kind: string | undefined): string {
  const what = `No ${kind ? `record of kind ${kind}` : 'record'}${asset === undefined ? '' : ` of ${asset}`} in ${dataDir}.`
  return asset === undefined
    ? what
    : `${what} On a fleet, the daemon that analyzed it has the record. It may also still wait (attestd queue waiting), or have closed before a daemon ran.`
}

const HEADS = [
  'at',
  'kind',
  'outcome',
  'asset',
  'mediaType',
  'risk',
  'algorithm',
  'receipt',
  'openToRecordMs',
  'reason',
  'notes',
]

function cells(entry: LedgerEntry): string[] {
  const common = {
    at: new Date(entry.at).toISOString(),
    kind: entry.kind,
    asset: entry.assetId,
    mediaType: entry.mediaType ?? '',
  }
  const own: Record<string, string> = { ...common, ...ownCells(entry) }
  return HEADS.map((head) => own[head] ?? '')
}

function ownCells(entry: LedgerEntry): Record<string, string> {
  if (entry.kind === 'abstained') return { reason: entry.reason, notes: entry.message }
  if (entry.kind === 'failed') return { reason: entry.reason, notes: entry.message, outcome: entry.queue }
  if (entry.kind === 'verdict')
    return { risk: String(percentOf(entry.risk)), algorithm: entry.algorithm, notes: entry.notes }
  if (entry.kind === 'shadow') {
    const { agrees, algorithm, risk, submittedRisk, wouldChange } = entry
    const notes = `measured for submission: ${percentOf(submittedRisk)}${wouldChange ? '; would have changed what was done' : ''}`
    return { outcome: agrees ? 'agrees' : 'disagrees', risk: String(percentOf(risk)), algorithm, notes }
  }
  const { outcome, risk, algorithm, scoreId, openToRecordMs } = entry
  return {
    outcome,
    risk: String(percentOf(risk)),
    algorithm: algorithm ?? '',
    receipt: scoreId ?? '',
    openToRecordMs: String(openToRecordMs),
  }
}

/** Widths by head; the rest is shown whole. What a person looks for first stays longest. */
const COLUMNS: Readonly<Record<string, Omit<Column<unknown>, 'title' | 'of'>>> = {
  'at (UTC)': { drop: 2 },
  outcome: { drop: 3 },
  mediaType: { drop: 4 },
  algorithm: { drop: 6 },
  receipt: { drop: 5 },
  openToRecordMs: { drop: 7, right: true },
  risk: { right: true },
  reason: { min: 8 },
  notes: { min: 10 },
}

/** Of shadows alone: which detector measured, and whether it agrees, stay longest. */
const SHADOW_COLUMNS: typeof COLUMNS = {
  ...COLUMNS,
  'at (UTC)': { drop: 6 },
  algorithm: {},
  reason: { drop: 9 },
  notes: { min: 12, drop: 8 },
}

const FORMATS = {
  json: (entries: readonly LedgerEntry[]) => `${safeJson(entries.map(storeLedgerEntry), 2)}\n`,
  csv: (entries: readonly LedgerEntry[]) => csvLines([HEADS, ...entries.map(cells)]),
  table: (entries: readonly LedgerEntry[], columns = COLUMNS) => {
    // Without the year and the fraction of a second, which no line of a terminal has room for.
    const rows = entries.map(cells).map(([at = '', ...rest]) => [at.slice(5, 19).replace('T', ' '), ...rest])
    const shown = [...HEADS.keys()].filter((index) => rows.some((row) => row[index] !== ''))
    return `${table(
      rows,
      shown.map((index) => {
        const title = index === 0 ? 'at (UTC)' : HEADS[index]!
        return { title, max: 44, ...columns[title], of: (row) => row[index] ?? '' }
      }),
    )}\n`
  },
}

import { type Command, Option } from 'commander'
import type { SettingKey } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { listenForStop } from '../../core/shutdown.js'
import { shellWord } from '../../core/text.js'
import { fileArgument } from '../flags/files.js'
import { numberFlag, wholeNumberFlag } from '../flags/numbers.js'
import { progressBar } from '../terminal/progress.js'

/** Settings of the verbs that score labeled data. */
export const LAB_KEYS: readonly SettingKey[] = [
  'modelsDir',
  'detectorWorkers',
  'detectorTimeoutMs',
  'detectorMemoryMb',
  'detectorJobs',
  'ffmpeg',
]

/** The flags of `withDataFlags` as they were typed; `dataOptions` checks `limit`. */
export interface DataFlags {
  readonly data: string
  readonly root?: string
  readonly limit?: string
}

/** How the labeled data are read, with what was typed for the record. @throws AttestdError argument-invalid */
export async function dataOptions({ data, root, limit }: Partial<DataFlags>) {
  if (data !== undefined) await fileArgument('--data', data, 'file or folder')
  if (root !== undefined) await fileArgument('--root', root, 'folder')
  const most = limit === undefined ? null : wholeNumberFlag('--limit', limit, { from: 1 })
  return { root: root ?? null, limit: most, command: typedCommand() }
}

export function withDataFlags(verb: Command, need: 'required' | 'optional' = 'required'): Command {
  const data = new Option(
    '--data <index|folder>',
    'CSV, JSON lines, list or parquet of rows (path, label, ...), a folder with real/ and fake/, or a Hugging Face dataset',
  )
  return verb
    .addOption(data.makeOptionMandatory(need === 'required'))
    .option(
      '--root <folder>',
      'folder of the relative paths in the index (default: its own folder); unpack a .tar first',
    )
    .option('--limit <count>', 'most rows; the same ones each time')
}

/** The flag that states how many fakes there are where the detector will work. */
export const withPriorFlag = (verb: Command): Command =>
  verb.option('--prior <share>', 'weight the rows as if this share of them, 0 to 1, were fake')

/** The share of fakes that rows are weighted to; null where it was not given. */
export const priorFlag = (text: string | undefined): number | null => numberFlag('--prior', text, 0.001, 0.999)

/** Collects a flag that may be given more than once; one that takes several words would take the argument after it too. */
export const collected = (text: string, earlier: readonly string[] = []) => [...earlier, text]

/** Runs work that ends on Ctrl-C with nothing half written. */
export async function withStop<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signals = listenForStop(systemClock)
  try {
    return await work(signals.drain)
  } finally {
    signals.dispose()
  }
}

/** The same for work that shows its progress on stderr. */
export function withProgress<T>(
  work: (watch: { signal: AbortSignal; onProgress(done: number, of: number): void }) => Promise<T>,
): Promise<T> {
  return withStop((signal) => work({ signal, onProgress: progressBar(process.stderr, 'rows') }))
}

/** What was typed, for the record: quoted so that a shell takes it again. */
const typedCommand = (): string => ['attestd', ...process.argv.slice(2).map(shellWord)].join(' ')

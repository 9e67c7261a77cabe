import fs from 'node:fs/promises'
import type { Command } from 'commander'
import type { AdmissionResult } from '../../app/lab/admit-model.js'
import { EXIT } from '../../core/shutdown.js'
import { shortDigest } from '../../core/text.js'
import { parseThresholds, type Thresholds } from '../../lab/admit/thresholds.js'
import { fileArgument } from '../flags/files.js'
import { numberFlag } from '../flags/numbers.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import {
  collected,
  type DataFlags,
  dataOptions,
  LAB_KEYS,
  priorFlag,
  withDataFlags,
  withPriorFlag,
  withProgress,
} from './lab-flags.js'

interface AdmitFlags extends Partial<DataFlags> {
  readonly prior?: string
  readonly thresholds?: string
  readonly minAuc?: string
  readonly maxFpr?: string
  readonly maxEce?: string
  readonly maxLatencyMs?: string
  readonly maxMemoryMb?: string
  readonly license?: string[]
  readonly json?: boolean
}

export function modelsAdmitVerb(): Command {
  const verb = verbWithSettings(
    'admit',
    'Test a package against your thresholds, and record its admission if it passes.',
    [...LAB_KEYS, 'dataDir'],
  )
  verb.argument('<package>', 'id in the models directory, or path of a package folder')
  withPriorFlag(withDataFlags(verb, 'optional'))
    .option(
      '--thresholds <file>',
      'YAML: minAuc, minTprAt5, minTprAt1, maxFpr, maxEce, maxAbstainRate, minRows, maxLatencyMs, maxMemoryMb, licenses',
    )
    .option('--min-auc <share>', 'lowest area under the ROC curve')
    .option('--max-fpr <share>', 'highest share of real files with a risk of 50 or more')
    .option('--max-ece <share>', 'highest expected calibration error')
    .option('--max-latency-ms <ms>', "highest median time for the package's own sample")
    .option('--max-memory-mb <mb>', 'highest memory of a process with this package, MiB')
    .option(
      '--license <text>',
      'a license that is allowed, in full as a manifest states it; may be repeated',
      collected,
    )
    .option('--json', 'JSON instead of a table')
  return verb.action(async (named: string, flags: AdmitFlags) => {
    const { settings } = settingsOf(verb)
    const file = flags.thresholds
    const text = file === undefined ? null : await fs.readFile(await fileArgument('--thresholds', file), 'utf8')
    const options = {
      data: flags.data ?? null,
      ...(await dataOptions(flags)),
      prior: priorFlag(flags.prior),
      thresholds: parseThresholds(text, thresholdFlags(flags), file ?? ''),
    }
    const { admitModel } = await import('../../app/lab/admit-model.js')
    const result = await withProgress((watch) => admitModel(settings, named, { ...options, ...watch }))
    printFound(flags.json, result, () => [...thresholdTable(result).split('\n'), '', outcomeText(result)])
    process.exitCode = result.record === null ? EXIT.failed : EXIT.ok
  })
}

function thresholdFlags({ license, maxEce, maxFpr, maxLatencyMs, maxMemoryMb, minAuc }: AdmitFlags): Thresholds {
  const given = {
    minAuc: numberFlag('--min-auc', minAuc, 0, 1),
    maxFpr: numberFlag('--max-fpr', maxFpr, 0, 1),
    maxEce: numberFlag('--max-ece', maxEce, 0, 1),
    maxLatencyMs: numberFlag('--max-latency-ms', maxLatencyMs, 1, 3_600_000),
    maxMemoryMb: numberFlag('--max-memory-mb', maxMemoryMb, 1, 1_000_000),
    licenses: license ?? null,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
}

const thresholdTable = ({ rows }: AdmissionResult): string =>
  table(rows, [
    { title: '', of: ({ passed }) => (passed ? '✓' : '✗') },
    { title: 'threshold', of: ({ threshold }) => threshold },
    { title: 'wanted', max: 70, min: 16, of: ({ wanted }) => wanted },
    { title: 'measured', max: 70, min: 16, of: ({ measured }) => String(measured ?? 'not measured') },
  ])

function outcomeText({ id, version, digest, record, withdrawn }: AdmissionResult): string {
  return record === null
    ? `${id}@${version} is NOT admitted.${withdrawn ? ' Its earlier admission was withdrawn.' : ''}`
    : `${id}@${version} (digest ${shortDigest(digest)}) is admitted: ${record}`
}

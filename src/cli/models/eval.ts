import type { Command } from 'commander'
import { safeLine } from '../../core/safe-output.js'
import { EXIT } from '../../core/shutdown.js'
import type { Evaluation, FigureWithInterval } from '../../lab/evaluate/evaluation.js'
import { decimal, intervalText, percent, verdictsText } from '../../lab/report/figure-text.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import {
  columnsFlag,
  type DataFlags,
  dataOptions,
  LAB_KEYS,
  priorFlag,
  withDataFlags,
  withPriorFlag,
  withProgress,
} from './lab-flags.js'

interface EvalFlags extends DataFlags {
  readonly prior?: string
  readonly out?: string
  readonly by: string
  readonly json?: boolean
}

/** `attestd models eval`. */
export function modelsEvalVerb(): Command {
  const verb = verbWithSettings('eval', 'Score labeled data with a package; write figures and a report.', LAB_KEYS)
  withPriorFlag(withDataFlags(verb.argument('<package>', 'id in the models directory, or path of a package folder')))
    .option('--out <folder>', 'folder for eval.json, scores.csv and report.html (default: eval-<package>)')
    .option('--by <columns>', 'columns that get a table each, comma-separated', 'source,generator')
    .option('--json', 'the content of eval.json instead of tables')
  return verb.action(async (named: string, flags: EvalFlags) => {
    const { settings } = settingsOf(verb)
    const { evaluateModel } = await import('../../app/lab/evaluate-model.js')
    const out = flags.out ?? `eval-${named.split('/').findLast((part) => part !== '')}`
    const options = {
      data: flags.data,
      ...(await dataOptions(flags)),
      by: columnsFlag(flags.by),
      prior: priorFlag(flags.prior),
      out,
    }
    const evaluation = await withProgress((watch) => evaluateModel(settings, named, { ...options, ...watch }))
    printFound(flags.json, evaluation, () => [
      ...summary(evaluation).split('\n'),
      '',
      `Written: ${out}/report.html, eval.json, scores.csv`,
    ])
    const { failed, scored } = evaluation.outcomes
    process.exitCode = scored > 0 && Object.keys(failed).length === 0 ? EXIT.ok : EXIT.failed
  })
}

function summary({ all, sure, data, detector, groups, outcomes, verdicts }: Evaluation): string {
  const lines = [
    `${detector.id}@${detector.version} on ${data.rows} rows (${data.real} real, ${data.fake} fake): ${outcomes.scored} scored`,
    ...Object.entries(outcomes.abstained).map(([reason, count]) => `  ${count} × ${reason}`),
    ...Object.entries(outcomes.failed).map(([reason, count]) => `  ${count} × ${reason}: failed, see scores.csv`),
    ...(data.duplicates ? [`  ${duplicatesText(data.duplicates)}`] : []),
    `  ${outcomes.unsure.band} inside the decision band, ${outcomes.unsure.flip} flipped by a re-encoding`,
    `  ${verdictsText(verdicts)}`,
    '',
    table(
      [{ title: '' }, { title: 'all', right: true }, { title: '95 % interval' }, { title: 'sure', right: true }],
      [
        row('AUC', all.auc, sure.auc, decimal),
        row('TPR at 5 % FPR', all.tprAt5, sure.tprAt5, percent),
        row('TPR at 1 % FPR', all.tprAt1, sure.tprAt1, percent),
        row('F1 at risk 50', all.f1, sure.f1, decimal),
        row('Matthews correlation', all.mcc, sure.mcc, decimal),
        row('real with risk ≥ 50', all.realFlagged, sure.realFlagged, percent),
        row('fake with risk ≥ 50', all.fakeFlagged, sure.fakeFlagged, percent),
        row('calibration error', all.ece, sure.ece, decimal),
        row('Brier score', all.brier, sure.brier, decimal),
      ],
    ),
  ]
  const columns = [
    { title: '', max: 40, min: 12 },
    { title: 'real', right: true },
    { title: 'fake', right: true },
    { title: 'AUC', right: true },
    { title: '95 % interval', drop: 1 },
    { title: 'at 5 % FPR', right: true, drop: 2 },
    { title: 'real ≥ 50', right: true },
    { title: 'fake ≥ 50', right: true },
    { title: 'refused', right: true, drop: 3 },
  ]
  for (const [column, values] of Object.entries(groups)) {
    if (values.length === 0) continue
    const rows = values.map((group) => [
      group.value,
      String(group.real),
      String(group.fake),
      decimal(group.auc.value),
      intervalText(group.auc),
      percent(group.tprAt5.value),
      withInterval(group.realFlagged, group.realFlaggedInterval),
      withInterval(group.fakeFlagged, group.fakeFlaggedInterval),
      String(group.refused),
    ])
    lines.push(
      '',
      table(
        columns.map((each) => (each.title === '' ? { ...each, title: `by ${column}` } : each)),
        rows,
      ),
    )
  }
  return lines.join('\n')
}

const duplicatesText = ({ examples, rows }: NonNullable<Evaluation['data']['duplicates']>): string =>
  `${rows} ${rows === 1 ? 'row has' : 'rows have'} the bytes of another row, and count twice: ${examples.map((ids) => ids.map(safeLine).join(' = ')).join('; ')}`

type Show = (value: number | null) => string

const withInterval = (value: number | null, interval: FigureWithInterval['interval']): string =>
  value === null ? percent(value) : `${percent(value)} (${intervalText({ interval }, percent)})`

const row = (name: string, every: FigureWithInterval, outside: FigureWithInterval, show: Show): string[] => [
  name,
  show(every.value),
  intervalText(every, show),
  show(outside.value),
]

import type { Command } from 'commander'
import { REASONS, type Reason } from '../../core/reasons.js'
import { safeLine } from '../../core/safe-output.js'
import { EXIT } from '../../core/shutdown.js'
import { commaSeparated } from '../../core/text.js'
import type { Evaluation, FigureWithInterval } from '../../lab/evaluate/evaluation.js'
import { groupTitle } from '../../lab/evaluate/groups.js'
import { decimal, FIGURES, intervalText, percent, verdictsText } from '../../lab/report/figure-text.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import {
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
      by: commaSeparated(flags.by),
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
    ...Object.entries(outcomes.abstained).map(([reason, count]) => `  ${count} × ${reason}: ${summaryOf(reason)}`),
    ...Object.entries(outcomes.failed).map(([reason, count]) => `  ${count} × ${reason}: failed, see scores.csv`),
    ...(data.duplicates ? [`  ${duplicatesText(data.duplicates)}`] : []),
    `  ${outcomes.unsure.band} inside the decision band, ${outcomes.unsure.flip} flipped by another reading of the file`,
    `  ${verdictsText(verdicts)}`,
    ...(isInverted(all.auc) ? [`  ${INVERTED}`] : []),
    '',
    table(FIGURES, [
      { title: '', of: ([, name]) => name },
      { title: 'all', right: true, of: ([key, , show]) => show(all[key].value) },
      { title: '95 % interval', of: ([key, , show]) => intervalText(all[key], show) },
      { title: 'sure', right: true, of: ([key, , show]) => show(sure[key].value) },
    ]),
  ]
  for (const [column, values] of Object.entries(groups)) {
    if (values.length > 0) lines.push('', groupTable(column, values))
  }
  return lines.join('\n')
}

const INVERTED =
  'An AUC below 0.5 means that real files get the higher risks: check the labels, and outputKind or fakeClasses of the manifest.'

const isInverted = ({ interval }: FigureWithInterval): boolean => interval !== null && interval.high < 0.5

/** What a reason of the list means, for the package's author; reports of other versions may have others. */
const summaryOf = (reason: string): string => (reason in REASONS ? REASONS[reason as Reason].summary : 'see scores.csv')

const groupTable = (column: string, values: Evaluation['groups'][string]): string =>
  table(values, [
    { title: groupTitle(column, values), max: 40, min: 12, of: ({ value }) => value },
    { title: 'real', right: true, of: ({ real }) => String(real) },
    { title: 'fake', right: true, of: ({ fake }) => String(fake) },
    { title: 'AUC', right: true, of: ({ auc }) => decimal(auc.value) },
    { title: '95 % interval', drop: 1, of: ({ auc }) => intervalText(auc) },
    { title: 'at 5 % FPR', right: true, drop: 2, of: ({ tprAt5 }) => percent(tprAt5.value) },
    { title: 'real ≥ 50', right: true, of: (group) => withInterval(group.realFlagged, group.realFlaggedInterval) },
    { title: 'fake ≥ 50', right: true, of: (group) => withInterval(group.fakeFlagged, group.fakeFlaggedInterval) },
    { title: 'refused', right: true, drop: 3, of: ({ refused }) => String(refused) },
  ])

const duplicatesText = ({ contradictory, examples, rows }: NonNullable<Evaluation['data']['duplicates']>): string =>
  `${rows} ${rows === 1 ? 'row has' : 'rows have'} the bytes of another row, and count twice${contradictory ? `; ${contradictory} of these files are labeled both real and fake` : ''}: ${examples.map((ids) => ids.map(safeLine).join(' = ')).join('; ')}`

const withInterval = (value: number | null, interval: FigureWithInterval['interval']): string =>
  value === null ? percent(value) : `${percent(value)} (${intervalText({ interval }, percent)})`

import type { Command } from 'commander'
import type { ModelComparison } from '../../app/lab/compare-models.js'
import { commaSeparated } from '../../core/text.js'
import type { PairedFigure } from '../../lab/compare/comparison.js'
import { decimal, intervalText, percent } from '../../lab/report/figure-text.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import { type DataFlags, dataOptions, LAB_KEYS, withDataFlags, withProgress } from './lab-flags.js'

interface CompareFlags extends DataFlags {
  readonly by: string
  readonly json?: boolean
}

export function modelsCompareVerb(): Command {
  const verb = verbWithSettings(
    'compare',
    'Score the same rows with two packages and report which is better.',
    LAB_KEYS,
  )
  withDataFlags(verb.argument('<first>', 'id or folder of a package').argument('<second>', 'id or folder of another'))
    .option('--by <columns>', 'columns that get a table each, comma-separated', 'source,generator')
    .option('--json', 'the whole comparison as JSON')
  return verb.action(async (first: string, second: string, flags: CompareFlags) => {
    const { settings } = settingsOf(verb)
    const { compareModels } = await import('../../app/lab/compare-models.js')
    const options = { data: flags.data, ...(await dataOptions(flags)), by: commaSeparated(flags.by) }
    const found = await withProgress((watch) => compareModels(settings, [first, second], { ...options, ...watch }))
    printFound(flags.json, found, () => summary(found))
  })
}

function summary(found: ModelComparison): string {
  const { agreement, auc, brier, data, groups, mcNemar, rows, tprAt5 } = found
  const [first, second] = [found.first, found.second].map(({ id, version }) => `${id}@${version}`) as [string, string]
  const lines = [
    `A  ${first}\nB  ${second}`,
    `${rows.both} of ${data.rows} rows scored by both; ${rows.onlyFirst} by A alone, ${rows.onlySecond} by B alone, ${rows.neither} by neither`,
    '',
    figureTable('', [
      { name: 'AUC', figure: auc, show: decimal },
      { name: 'TPR at 5 % FPR', figure: tprAt5, show: percent },
      { name: 'Brier score (lower is better)', figure: brier, show: decimal },
    ]),
    '',
    `At a risk of 50: ${percent(agreement)} agreement; A alone is right on ${mcNemar.onlyFirstRight} rows, B alone on ${mcNemar.onlySecondRight} (McNemar p = ${mcNemar.pValue.toPrecision(2)})`,
    ...Object.entries(groups).flatMap(([column, values]) => {
      if (values.length === 0) return []
      const named = values.map((figure) => ({
        name: `${figure.value} (${figure.real}+${figure.fake})`,
        figure,
        show: decimal,
      }))
      return ['', figureTable(`AUC by ${column} (real+fake)`, named)]
    }),
    '',
    verdict(found, first, second),
  ]
  return lines.join('\n')
}

function verdict({ better, auc, rows }: ModelComparison, first: string, second: string): string {
  if (rows.both === 0)
    return 'No row was scored by both, so nothing was compared. attestd models eval prints why each package refuses rows.'
  if (auc.interval === null) return 'The rows scored by both are too few, or all of one class, so nothing was compared.'
  if (better === 'undecided')
    return 'These rows cannot show which of the two is better: the interval of the AUC difference contains 0.'
  const by = Math.abs(auc.difference ?? 0).toFixed(3)
  return `${better === 'first' ? first : second} is better by ${by} AUC; the interval of the difference does not contain 0.`
}

interface Row {
  readonly name: string
  readonly figure: PairedFigure
  readonly show: (value: number | null) => string
}

const figureTable = (title: string, rows: readonly Row[]): string =>
  table(rows, [
    { title, min: 16, of: ({ name }) => name },
    { title: 'A', right: true, of: ({ figure, show }) => show(figure.first) },
    { title: 'B', right: true, of: ({ figure, show }) => show(figure.second) },
    { title: 'A − B', right: true, of: ({ figure, show }) => show(figure.difference) },
    { title: '95 % interval', of: ({ figure, show }) => intervalText(figure, show) },
  ])

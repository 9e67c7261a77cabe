import { safeLine } from '../../core/safe-output.js'

/** A column of a table. Numbers are aligned to the right by `right`. */
export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string
  readonly right?: boolean
  /** Longest cell, characters; longer ones are cut with an ellipsis. @default 60 */
  readonly max?: number
  /** Width down to which cells may be cut on a narrow terminal, characters. @default the widest cell */
  readonly min?: number
  /** On a narrow terminal the column with the highest number is left out first. @default never */
  readonly drop?: number
}

const GAP = 2
const USUAL_MAX = 60
/** Of a terminal that does not state its width, and of a pipe. */
const USUAL_WIDTH = 80
/** What a column keeps where even the columns that are never left out are too wide together. */
const LEAST = 8

/** Columns of the terminal, or what COLUMNS states. */
const outputWidth = (): number => process.stdout.columns || Number(process.env.COLUMNS) || USUAL_WIDTH

/** A table that fits the terminal; a last line names the columns left out. Cells are made safe: some are foreign. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width = outputWidth()): string {
  const cells = rows.map((row) => columns.map(({ of }) => safeLine(of(row))))
  const wanted = columns.map(({ title, max = USUAL_MAX }, index) =>
    // One by one: the rows may be more than a call takes arguments.
    cells.reduce((widest, row) => Math.max(widest, Math.min(max, row[index]!.length)), title.length),
  )
  const { shown, widths } = fitted(columns, wanted, width)
  const line = (row: readonly string[]) =>
    shown
      .map((index) => {
        const cell = cut(row[index]!, widths[index]!)
        return columns[index]!.right ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!)
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  const rule = shown.map((index) => '─'.repeat(widths[index]!)).join(' '.repeat(GAP))
  const left = columns.flatMap(({ title }, index) => (shown.includes(index) ? [] : [title]))
  return [
    line(columns.map(({ title }) => title)),
    rule,
    ...cells.map(line),
    ...(left.length > 0 ? [`Left out at ${width} columns: ${left.join(', ')} (--json has all).`] : []),
  ].join('\n')
}

/** Which columns are shown, and how wide each is. */
function fitted(columns: readonly Omit<Column<never>, 'of'>[], wanted: readonly number[], width: number) {
  const least = wanted.map((want, index) => Math.min(want, columns[index]!.min ?? want))
  let shown = [...columns.keys()]
  const over = (widths: readonly number[]) =>
    shown.reduce((sum, index) => sum + widths[index]!, GAP * (shown.length - 1)) - width
  const droppable = shown
    .filter((index) => columns[index]!.drop !== undefined)
    .toSorted((a, b) => columns[b]!.drop! - columns[a]!.drop!)
  for (const index of droppable) if (over(least) > 0) shown = shown.filter((one) => one !== index)
  const widths = [...wanted]
  for (const limits of [least, wanted.map((want) => Math.min(want, LEAST))]) {
    // Character by character, so that the widest column gives most.
    const able = () => shown.filter((index) => widths[index]! > limits[index]!)
    while (over(widths) > 0 && able().length > 0) {
      const widest = able().reduce((a, b) => (widths[b]! > widths[a]! ? b : a))
      widths[widest]!--
    }
  }
  return { shown, widths }
}

const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

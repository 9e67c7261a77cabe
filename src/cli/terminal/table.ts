import { safeLine } from '../../core/safe-output.js'

/** Text in columns, for terminals. Numbers are aligned to the right by their column's `right`. */
export interface Column {
  readonly title: string
  readonly right?: boolean
  /** Longest cell, characters; longer ones are cut with an ellipsis. */
  readonly max?: number
}

/** A table of plain text. Cells are made safe, since titles come from outside. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => columns.map((column, index) => fitted(row[index] ?? '', column.max ?? 60)))
  const widths = columns.map(({ title }, index) => Math.max(title.length, ...cells.map((row) => row[index]!.length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => (columns[index]!.right ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!)))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [line(columns.map(({ title }) => title)), rule, ...cells.map(line)].join('\n')
}

function fitted(text: string, max: number): string {
  const clean = safeLine(text)
  return clean.length > max ? `${clean.slice(0, max - 1)}…` : clean
}

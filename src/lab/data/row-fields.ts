import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import { MEDIA_TYPES, type MediaType } from '../../core/media-types.js'
import type { DataRow, RowContent } from './data-row.js'

/** What indexes call the two classes, lower case; the sample list of the sandbox states `made`. */
const FAKE_WORDS = ['fake', 'machine', 'ai', 'generated', 'synthetic', 'spoof', '1', '1.0', 'true']
const REAL_WORDS = ['real', 'human', 'genuine', 'bonafide', 'authentic', '0', '0.0', 'false']

/** Other names of a column, so that tables by generator work on every pack. */
const COLUMN_NAMES = new Map<string, string>([
  ...['path', 'text', 'label', 'id', 'source', 'generator', 'lang'].map((name) => [name, name] as const),
  ['made', 'label'],
  ['file', 'path'],
  ['file_name', 'path'],
  ['filename', 'path'],
  ['labels', 'label'],
  ['media_type', 'mediaType'],
  ['mediatype', 'mediaType'],
  ['system', 'generator'],
  ['model', 'generator'],
  ['language', 'lang'],
])

/** Stands for the rows of an index that state nothing about a column. */
export const UNSTATED = '-'

/** What a row states in a column, such as its source; null where it states nothing. */
export function statedIn({ columns }: Pick<DataRow, 'columns'>, column: string): string | null {
  // An index may call a column as any object has a member, such as `constructor`.
  const value = Object.hasOwn(columns, column) ? columns[column] : ''
  return value === undefined || value === '' || value === UNSTATED ? null : value
}

/** A row of an index. @param where for errors, such as `index.csv line 7` @throws AttestdError lab-data-invalid */
export function rowOf(fields: Readonly<Record<string, unknown>>, root: string, where: string): DataRow {
  const named = namedFields(fields)
  const { path: file, text, ...others } = named
  const row = labeledRow(others, contentOf(file, text, root, where, Object.keys(fields)), where)
  return { ...row, id: file ?? row.id }
}

/** The same of fields whose content is known. @throws AttestdError lab-data-invalid */
export function labeledRow(fields: Readonly<Record<string, unknown>>, content: RowContent, where: string): DataRow {
  const { label, id = where, mediaType, ...columns } = namedFields(fields)
  return {
    id,
    fake: isFake(label, where, Object.keys(fields)),
    mediaType: mediaTypeOf(mediaType, where),
    columns,
    content,
  }
}

function namedFields(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const named: Record<string, string> = Object.create(null)
  for (const [key, value] of Object.entries(fields)) {
    if (!['string', 'number', 'boolean'].includes(typeof value)) continue
    const column = COLUMN_NAMES.get(key.toLowerCase()) ?? key
    // A column of its own goes before another name for it.
    if (named[column] === undefined || column === key) named[column] = String(value)
  }
  return named
}

/** Whether a label means fake; null where it is of neither class. */
export function classOf(label: string): boolean | null {
  const word = label.trim().toLowerCase()
  if (FAKE_WORDS.includes(word)) return true
  return REAL_WORDS.includes(word) ? false : null
}

function isFake(label: string | undefined, where: string, columns: readonly string[]): boolean {
  const fake = label === undefined ? null : classOf(label)
  if (fake !== null) return fake
  const wrong =
    label === undefined
      ? `there is no column label, but ${columns.join(', ')}; name one label`
      : `label is ${JSON.stringify(label)}`
  throw new AttestdError('lab-data-invalid', `${where}: ${wrong}; it takes real or fake (human or machine, 0 or 1).`)
}

function mediaTypeOf(stated: string | undefined, where: string): MediaType | null {
  if (stated === undefined || stated === '') return null
  const known = MEDIA_TYPES.find((type) => type === stated)
  if (known !== undefined) return known
  throw new AttestdError('lab-data-invalid', `${where}: mediaType is ${stated}; it takes ${MEDIA_TYPES.join(', ')}.`)
}

function contentOf(
  file: string | undefined,
  text: string | undefined,
  root: string,
  where: string,
  columns: readonly string[],
): RowContent {
  if (file !== undefined && file !== '') return { file: insideRoot(root, file, where) }
  if (text !== undefined) return { text }
  const wrong = file === undefined ? `there is no column path or text, but ${columns.join(', ')}` : 'path is empty'
  throw new AttestdError('lab-data-invalid', `${where}: ${wrong}.`)
}

/** An index may come from elsewhere: it names files below its root only. */
function insideRoot(root: string, file: string, where: string): string {
  const absolute = path.resolve(root, file)
  const relative = path.relative(root, absolute)
  if (relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative)) return absolute
  throw new AttestdError(
    'lab-data-invalid',
    `${where}: ${file} does not lie below ${root}; name another one with --root.`,
  )
}

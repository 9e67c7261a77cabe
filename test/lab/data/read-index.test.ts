import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readIndex } from '../../../src/lab/data/read-index.js'
import { rowOf } from '../../../src/lab/data/row-fields.js'
import { withReason } from '../../support/with-reason.js'
import { rowFiles } from './row-files.js'

const files = rowFiles()
const { write } = files

const never = (): never => {
  throw new Error('a row of nothing')
}

describe('an index', () => {
  const read = async (name: string, text: string | Uint8Array) =>
    readIndex(await write(name, text), (fields, where) => rowOf(fields, files.path, where))

  it.each([
    ['a.csv', ' text , label \n  one , real \n\n"two, with ""quotes""",fake\n', ['one', 'two, with "quotes"']],
    ['b.jsonl', '{"text":"one","label":0}\r\n\n{"text":"two","label":1}', ['one', 'two']],
    ['c.json.gz', gzipSync('[{"text":"one","label":0}]'), ['one']],
    ['d.csv.gz', gzipSync('text,label\none,0\n'), ['one']],
    ['excel.csv', '\uFEFFText;label\r\n"one, with ""quotes""";real\r\n', ['one, with "quotes"']],
    ['unicode.csv', Buffer.from('\uFEFFtext\tlabel\r\nübung\treal\r\n', 'utf16le'), ['übung']],
    ['mark.jsonl', '\uFEFF{"text":"one","label":0}', ['one']],
    ['e.json', '[]', []],
    ['spare.csv', 'text,label,,\none,0,,\n', ['one']],
    ['f.jsonl', '\n\n', []],
  ])('%s', async (name, text, expected) => {
    const rows = await read(name, text)
    expect(rows.map(({ content }) => 'text' in content && content.text)).toEqual(expected)
  })

  it('that is a named pipe is refused without waiting', async () => {
    const pipe = path.join(files.path, 'pipe.csv')
    execFileSync('/usr/bin/mkfifo', [pipe])
    await expect(readIndex(pipe, () => never())).rejects.toThrow(withReason('lab-data-invalid', 'a named pipe'))
  })

  it.each([
    ['g.jsonl', '{"text":"one","label":0}\n\n[1]\n', 'g.jsonl line 3 is not an object'],
    ['h.jsonl', '{"text":"one","label":0}\nnull', 'h.jsonl line 2 is not an object'],
    ['i.json', '[{"text":"one","label":0},{"label":0}]', 'i.json row 2: there is no column path or text'],
    ['j.csv', 'text,label\na,real\nb,\n', 'j.csv row 2: label is ""'],
    ['twice.csv', 'text,label,label\na,real,fake\n', 'two columns are named label'],
    ['k.jsonl.gz', gzipSync('{'), 'k.jsonl.gz line 1 is not JSON'],
    ['l.jsonl.gz', gzipSync('x'.repeat(1000)).subarray(0, 20), 'cannot be unpacked'],
    ['m.txt', '', 'is not .csv, .jsonl, .json'],
    ['n.CSV', 'text,label\na,real\n', 'is not .csv, .jsonl, .json'],
  ])('%s is refused with the place of the fault', async (name, text, message) => {
    await expect(read(name, text)).rejects.toThrow(withReason('lab-data-invalid', message))
  })
})

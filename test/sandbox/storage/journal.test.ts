import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { Journal } from '../../../src/sandbox/storage/journal.js'
import { JOURNAL_HEADER, type JournalEntry } from '../../../src/sandbox/storage/journal-entry.js'

const HEADER = JSON.stringify(JOURNAL_HEADER)
const WALLET = `0x${'a'.repeat(40)}` as const
const stake = (stakedWei: string, wallet: `0x${string}` = WALLET): JournalEntry => ({
  type: 'stake',
  wallet,
  stakedWei,
})

let folder: string
let count = 0
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-journal-'))
})
afterAll(() => fs.rm(folder, { recursive: true }))

async function fileWith(text?: string): Promise<string> {
  const file = path.join(folder, `${count++}.jsonl`)
  if (text !== undefined) await fs.writeFile(file, text, { mode: 0o600 })
  return file
}

const textOf = (file: string) => fs.readFile(file, 'utf8')

describe('the journal', () => {
  it('begins with its header, for its owner only, and has each entry as soon as append returns', async () => {
    const file = await fileWith()
    const { journal, kept, torn } = await Journal.open(file)
    expect([kept.entries(), torn]).toEqual([[], false])
    expect((await fs.stat(file)).mode & 0o777).toBe(0o600)
    journal.append(stake('1'))
    expect(await textOf(file)).toBe(`${HEADER}\n${JSON.stringify(stake('1'))}\n`)
    journal.close()
    expect(() => journal.append(stake('2'))).toThrow(/closed/)
  })

  it('gives back what the entries add up to, and drops what is outdated from the file', async () => {
    const file = await fileWith()
    const first = (await Journal.open(file)).journal
    const other = `0x${'b'.repeat(40)}` as const
    for (const entry of [stake('1'), stake('5', other), stake('2'), { type: 'minimum', minStakeWei: '3' } as const]) {
      first.append(entry)
    }
    first.close()
    const { journal, kept } = await Journal.open(file)
    expect(kept.of('stake')).toEqual([stake('2'), stake('5', other)])
    expect(kept.of('minimum')).toEqual([{ type: 'minimum', minStakeWei: '3' }])
    expect((await textOf(file)).split('\n')).toHaveLength(5)
    journal.append({ type: 'reset' })
    journal.close()
    expect((await Journal.open(file)).kept.entries()).toEqual([])
  })

  it.each([
    ['half an entry', `${HEADER}\n${JSON.stringify(stake('1'))}\n{"type":"stake","wal`],
    ['an entry without its end', `${HEADER}\n${JSON.stringify(stake('1'))}\n${JSON.stringify(stake('2'))}`],
  ])('drops %s at the end, and goes on behind what is whole', async (_name, text) => {
    const file = await fileWith(text)
    const { journal, kept, torn } = await Journal.open(file)
    expect([torn, kept.entries()]).toEqual([true, [stake('1')]])
    journal.append(stake('7'))
    journal.close()
    expect((await Journal.open(file)).kept.entries()).toEqual([stake('7')])
  })

  it.each([
    ['a line that is no JSON', `${HEADER}\n{"type":\n${JSON.stringify(stake('1'))}\n`, /line 2/],
    ['an empty line', `${HEADER}\n\n`, /line 2/],
    ['an entry of an unknown type', `${HEADER}\n{"type":"poem"}\n`, /line 2: type/],
    ['an amount that is none', `${HEADER}\n${JSON.stringify(stake('-1'))}\n`, /line 2: stakedWei/],
    ['an asset without its fields', `${HEADER}\n{"type":"asset","asset":{"id":"a"}}\n`, /line 2: asset\.title/],
    ['another version', `{"journal":"attestd-sandbox","version":2}\n`, /line 1: version/],
    ['a file of something else', '# notes\n', /line 1/],
    ['a file of something else, without a line end', 'notes', /does not begin/],
    ['zeros, as a power failure leaves them', `${HEADER}\n\0\0\0\0\n`, /line 2/],
  ])('refuses %s, and leaves the file as it is', async (_name, text, message) => {
    const file = await fileWith(text)
    const opened = Journal.open(file)
    await expect(opened).rejects.toMatchObject({ reason: 'sandbox-data-invalid' })
    await expect(opened).rejects.toThrow(message)
    expect(await textOf(file)).toBe(text)
  })

  it('refuses bytes that are no text, and leaves them as they are; a character may be cut at the end', async () => {
    const key = {
      id: 'k',
      kind: 'attester',
      label: 'é',
      accessKey: 'a',
      signingSecret: 's',
      wallet: null,
      createdAt: 1,
    }
    const line = JSON.stringify({ type: 'key', key: { ...key, revokedAt: null } })
    const whole = Buffer.from(`${HEADER}\n${line}\n`)
    const spoiled = Buffer.from(whole)
    spoiled[spoiled.indexOf('é')] = 0xff
    const file = await fileWith()
    await fs.writeFile(file, spoiled)
    await expect(Journal.open(file)).rejects.toMatchObject({ reason: 'sandbox-data-invalid' })
    expect(await fs.readFile(file)).toEqual(spoiled)
    await fs.writeFile(file, Buffer.concat([whole, Buffer.from('{"type":"é').subarray(0, -1)]))
    expect((await Journal.open(file)).torn).toBe(true)
  })

  it('never repeats a secret of a line that it refuses', async () => {
    const key = { id: 'k', kind: 'attester', label: '', accessKey: 'a', signingSecret: 'sk_hidden', wallet: 5 }
    const file = await fileWith(`${HEADER}\n${JSON.stringify({ type: 'key', key })}\n`)
    const error = await Journal.open(file).catch(String)
    expect(error).toMatch(/line 2: key\.wallet/)
    expect(error).not.toContain('sk_hidden')
  })

  it('says where a folder cannot be written', async () => {
    await expect(Journal.open(path.join(folder, 'none', 'journal'))).rejects.toMatchObject({
      reason: 'data-dir-unusable',
    })
  })

  it('takes back an entry that the disk has no room for, and goes on when there is some', async () => {
    const file = await fileWith()
    const journal = JSON.stringify(packagePath('dist', 'sandbox', 'storage', 'journal.js'))
    const script = `
      const { Journal } = await import(${journal})
      const { journal } = await Journal.open(process.argv[1])
      const stake = (digits) => ({ type: 'stake', wallet: '${WALLET}', stakedWei: '1'.repeat(digits) })
      let reason
      while (reason === undefined) {
        try { journal.append(stake(78)) } catch (error) { reason = error.reason }
      }
      // Shorter than what is left.
      journal.append({ type: 'minimum', minStakeWei: '1' })
      console.log(reason)`
    // 1 KiB at most; an entry that passes it is written in part, as on a full disk.
    const limited = ['-c', 'ulimit -f 2; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script, file]
    const { stdout } = await promisify(execFile)('/bin/sh', limited)
    expect(stdout).toBe('data-dir-unusable\n')
    const { kept, torn } = await Journal.open(file)
    expect([torn, kept.of('stake').length, kept.of('minimum').length]).toEqual([false, 1, 1])
  })
})

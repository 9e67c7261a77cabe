import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { Ledger } from '../../src/pipeline/ledger.js'
import { VerdictFiles } from '../../src/pipeline/verdict-files.js'
import { abstainedEntry } from '../support/pipeline-parts.js'
import { folderForEach } from '../support/temporary-folder.js'

const folder = folderForEach()
beforeEach(async () => {
  await fs.mkdir(at('elsewhere', 'ab'), { recursive: true })
  for (const name of ['2020-01-01.jsonl', 'ab/old']) await fs.writeFile(at('elsewhere', name), 'kept')
})

const at = (...names: string[]) => path.join(folder, ...names)
const FAR = Date.UTC(2040, 0, 1)
const NO_FOLDER = { reason: 'data-dir-unusable', message: expect.stringMatching(/is no folder any more/) }

/** Puts a symbolic link to `elsewhere` in the place of a folder or file. */
async function swap(place: string, to: string): Promise<void> {
  await fs.rename(place, `${place}-aside`)
  await fs.symlink(to, place)
}

async function expectElsewhereKept(): Promise<void> {
  expect((await fs.readdir(at('elsewhere'), { recursive: true })).toSorted()).toEqual([
    '2020-01-01.jsonl',
    'ab',
    'ab/old',
  ])
}

const entry = abstainedEntry()

it('the ledger follows no symbolic link in place of its folder or its file', async () => {
  const ledger = new Ledger(at('ledger'))
  await ledger.append(entry)
  await swap(at('ledger'), at('elsewhere'))
  await expect(ledger.append(entry)).rejects.toMatchObject(NO_FOLDER)
  await expect(ledger.prune(1, FAR)).rejects.toMatchObject(NO_FOLDER)
  await expectElsewhereKept()
  await fs.rm(at('ledger'))
  await fs.rename(at('ledger-aside'), at('ledger'))
  await swap(at('ledger', '2026-01-01.jsonl'), at('elsewhere', 'ab', 'old'))
  await expect(ledger.append(entry)).rejects.toMatchObject({ code: 'ELOOP' })
  expect(await fs.readFile(at('elsewhere', 'ab', 'old'), 'utf8')).toBe('kept')
})

it.each([
  ['all', ['verdicts'], ['elsewhere']],
  ['one share', ['verdicts', 'ab'], ['elsewhere', 'ab']],
])('verdicts follow none in place of the folder of %s', async (_, place, to) => {
  const verdicts = new VerdictFiles(at('verdicts'), 256 * 4096)
  await verdicts.write('ab01', 'text')
  await swap(at(...place), at(...to))
  // More than its share: the oldest would go.
  await expect(verdicts.write('ab02', 'x'.repeat(4096))).rejects.toMatchObject(NO_FOLDER)
  await verdicts.prune(1, FAR).catch(() => {})
  await expectElsewhereKept()
})

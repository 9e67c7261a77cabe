import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { folderForTest } from '../support/temporary-folder.js'

const PASSES = "it('a', () => {})"
const FAILS = "it('a', () => { throw new Error('broken') })"
/** Fails in its first process, as a test does that depends on what ran before it. */
const FAILS_ONCE = `import fs from 'node:fs'
it('a', () => { const left = 'ran'; const again = fs.existsSync(left); fs.writeFileSync(left, ''); expect(again).toBe(true) })`

/** What `node .ci/suite.mjs` makes of a folder with these test files. */
async function suiteOf(files: Readonly<Record<string, string>>): Promise<{ code: number; out: string }> {
  const folder = await folderForTest()
  const all = { ...files, 'by-config': FAILS, 'by-flag': FAILS }
  for (const [name, text] of Object.entries(all)) await fs.writeFile(path.join(folder, `${name}.test.mjs`), text)
  const config = "export default { test: { globals: true, exclude: ['by-config.test.mjs'] } }"
  await fs.writeFile(path.join(folder, 'vitest.config.mjs'), config)
  const args = [packagePath('.ci', 'suite.mjs'), '--root', folder, '--exclude', 'by-flag.test.mjs']
  const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env }, (error, out) =>
      resolve({ code: Number(error?.code ?? 0), out }),
    )
  })
}

it.each([
  [
    'passes alone is green, and is named',
    { good: PASSES, once: FAILS_ONCE },
    0,
    'once.test.mjs: failed among the others, passed alone',
  ],
  [
    'fails alone, too, is red, and is named',
    { good: PASSES, bad: FAILS },
    1,
    'bad.test.mjs: failed among the others, failed alone',
  ],
])('a file that fails among others and %s', async (_, files, code, named) => {
  const { out, ...ended } = await suiteOf(files)
  expect(ended, out).toEqual({ code })
  expect(out).toContain(named)
})

it('more than three failing files end the run at once', async () => {
  const { code, out } = await suiteOf(Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, FAILS])))
  expect(code).toBe(1)
  expect(out).not.toContain('alone')
})

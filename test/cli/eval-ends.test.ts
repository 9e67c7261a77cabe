import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { attestdProcess } from '../support/attestd-verb.js'
import { writeModulePackage } from '../support/other-packages.js'
import { folderForEach } from '../support/temporary-folder.js'

/** Scores what begins as its sample, fails one that begins with z, and never answers for any other file, but notes that it was asked. */
const NEVER = `
import fs from 'node:fs'
export const createDetector = () => ({
  measure: async (file) => {
    const text = fs.readFileSync(file, 'utf8')
    if (text.startsWith('z')) throw new Error('no such model')
    if (text.startsWith('x')) return { logit: 3, notes: '', parts: [] }
    fs.writeFileSync('ASKED', '')
    return new Promise(() => {})
  },
})`

const folder = folderForEach()
beforeEach(async () => {
  await writeModulePackage(at('models'), { 'main.mjs': NEVER.replace('ASKED', at('asked')) })
  await fs.writeFile(at('a.txt'), 'y'.repeat(300))
})

const at = (name: string) => path.join(folder, name)
const evaluation = () => ['models', 'eval', 'by-module', '--data', at('list.csv'), '--out', at('out')]
const env = () => ({
  ATTESTD_MODELS_DIR: at('models'),
  ATTESTD_DETECTOR_WORKERS: '1',
  ATTESTD_DETECTOR_CAGE: 'off',
  ATTESTD_DETECTOR_TIMEOUT_MS: '600000',
})

it('models eval exits with 1 where the detector failed on a row, and names the file with the reason of each', async () => {
  for (const [name, text] of [...'xxz'].entries()) await fs.writeFile(at(`${name}.txt`), text.repeat(300 + name))
  await fs.writeFile(at('list.csv'), 'path,label\n0.txt,real\n1.txt,fake\n2.txt,fake\n')
  expect(await attestdProcess(evaluation(), env())).toMatchObject({
    code: 1,
    out: expect.stringMatching(/2 scored\n {2}1 × detector-failed: failed, see scores\.csv/),
  })
  expect(await fs.readFile(at('out/scores.csv'), 'utf8')).toContain('no such model')
})

it('SIGTERM ends models eval while a detector never answers, with its processes', async () => {
  await fs.writeFile(at('list.csv'), 'path,label\na.txt,real\na.txt,fake\n')
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...evaluation()], {
    env: { PATH, HOME: '/dev/null', ...env() },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  await vi.waitFor(() => fs.access(at('asked')), { timeout: 120_000 })
  const processes = await fs.readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1').catch(() => '')
  child.kill('SIGTERM')
  const [code, signal] = await ended
  expect(code !== 0 || signal !== null).toBe(true)
  const pids = processes.split(' ').filter(Boolean).map(Number)
  await expect.poll(() => pids.filter(isRunning)).toEqual([])
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { hasProc } from '../support/detector-bench.js'
import { sharesMs } from './processor-time.js'

/** Starts a process that computes for a second and ends, then waits. */
const PARENT = `
const busy = 'const until = process.cpuUsage().user + 1e6; while (process.cpuUsage().user < until);'
require('node:child_process').spawnSync(process.execPath, ['-e', busy])
console.log('ended')
process.stdin.resume()`

it.skipIf(!hasProc)('a process that ended counts as one that was started, not as its parent', async () => {
  const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(parent.stdout, 'data')
  const { own, children } = await sharesMs(parent.pid!)
  parent.kill()
  expect(children).toBeGreaterThanOrEqual(1000)
  expect(own).toBeLessThan(children)
})

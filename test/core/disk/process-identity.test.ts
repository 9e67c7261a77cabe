import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isAlive, ownIdentity } from '../../../src/core/disk/process-identity.js'

describe('the identity of a process', () => {
  it('is the same while it runs, and shows that it is alive', async () => {
    const [first, second] = [await ownIdentity(), await ownIdentity()]
    expect(second).toEqual(first)
    expect(first.pid).toBe(process.pid)
    expect(await isAlive(first)).toBe(true)
  })

  it.runIf(process.platform === 'linux')('is read whatever name the process has', async ({ onTestFinished }) => {
    const before = process.title
    onTestFinished(() => {
      process.title = before
    })
    const own = await ownIdentity()
    for (const title of ['a) Z 1 (b', '((', 'x y z', ') X 0 0']) {
      process.title = title
      expect(await ownIdentity()).toEqual(own)
      expect(await isAlive(own)).toBe(true)
    }
  })

  it('ends with the process', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { stdio: 'ignore' })
    const { scope } = await ownIdentity()
    const pid = child.pid as number
    // When it started is not known here: the pid is in use, by whom cannot be said.
    expect(await isAlive({ pid, started: '', scope })).toBeNull()
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    expect(await isAlive({ pid, started: '', scope })).toBe(false)
  })

  it.runIf(process.platform === 'linux')('is not that of a later process with the same pid', async () => {
    const own = await ownIdentity()
    expect(await isAlive({ ...own, started: String(Number(own.started) - 1) })).toBe(false)
  })

  it('of another host or container is unknown here', async () => {
    const own = await ownIdentity()
    expect(await isAlive({ ...own, scope: `${own.scope}x` })).toBeNull()
    expect(await isAlive({ ...own, scope: '' })).toBeNull()
  })
})

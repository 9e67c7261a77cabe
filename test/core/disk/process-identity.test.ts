import { describe, expect, it } from 'vitest'
import { isAlive, ownIdentity } from '../../../src/core/disk/process-identity.js'

describe('the identity of a process', () => {
  it.runIf(process.platform === 'linux')(
    'is the same while it runs, whatever name the process has, and shows that it is alive',
    async ({ onTestFinished }) => {
      const before = process.title
      onTestFinished(() => {
        process.title = before
      })
      const own = await ownIdentity()
      expect(own.pid).toBe(process.pid)
      for (const title of ['a) Z 1 (b', '((', 'x y z', ') X 0 0']) {
        process.title = title
        expect(await ownIdentity()).toEqual(own)
        expect(await isAlive(own)).toBe(true)
      }
    },
  )

  it.runIf(process.platform === 'linux')('is not that of a later process with the same pid', async () => {
    const own = await ownIdentity()
    expect(await isAlive({ ...own, started: String(Number(own.started) - 1) })).toBe(false)
  })
})

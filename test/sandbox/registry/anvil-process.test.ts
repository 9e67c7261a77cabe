import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { createPublicClient, http } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { findAnvil, startAnvil } from '../../../src/sandbox/registry/anvil-process.js'
import { anvil, anvilFor } from '../../support/anvil.js'

const answers = (rpcUrl: string) =>
  createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }) })
    .getChainId()
    .catch(() => null)

describe.skipIf(anvil === null)('anvil (skipped where there is none)', () => {
  it('serves its chain on a port of its own, with new keys that hold funds, until it is stopped', async (context) => {
    const [one, two] = await Promise.all([anvilFor(context), anvilFor(context, { chainId: 8453, keys: 1 })])
    expect([await answers(one.rpcUrl), await answers(two.rpcUrl)]).toEqual([84532, 8453])
    expect([one.privateKeys.length, two.privateKeys.length]).toEqual([3, 1])
    expect(new Set([...one.privateKeys, ...two.privateKeys]).size).toBe(4)
    const reader = createPublicClient({ transport: http(one.rpcUrl) })
    for (const key of one.privateKeys) {
      expect(await reader.getBalance({ address: privateKeyToAddress(key) })).toBe(10_000n * 10n ** 18n)
    }
    await one.stop()
    await one.ended
    expect(await answers(one.rpcUrl)).toBeNull()
    await one.stop()
  })

  it('ends with a parent that was killed', async (context) => {
    const script = `
      import { systemClock } from ${JSON.stringify(packagePath('dist', 'core', 'clock.js'))}
      import { startAnvil } from ${JSON.stringify(packagePath('dist', 'sandbox', 'registry', 'anvil-process.js'))}
      const { rpcUrl } = await startAnvil({ binary: ${JSON.stringify(anvil)}, chainId: 84532, clock: systemClock, keys: 0 })
      console.log(rpcUrl)
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    context.onTestFinished(() => void parent.kill('SIGKILL'))
    const [rpcUrl] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    expect(await answers(rpcUrl)).toBe(84532)
    parent.kill('SIGKILL')
    await expect.poll(() => answers(rpcUrl), { timeout: 20_000 }).toBeNull()
  })

  it('says why it does not start', async () => {
    const start = startAnvil({
      binary: anvil!,
      chainId: 84532,
      clock: systemClock,
      args: ['--no-such-flag'],
    })
    await expect(start).rejects.toThrow(/^anvil did not start: it ended with code 2; its output: .*--no-such-flag/s)
  })

  it('a start can be called off', async () => {
    const reason = new Error('called off')
    const stop = new AbortController()
    const start = startAnvil({
      binary: anvil!,
      chainId: 84532,
      clock: systemClock,
      signal: stop.signal,
    })
    stop.abort(reason)
    await expect(start).rejects.toBe(reason)
    await expect(startAnvil({ binary: anvil!, chainId: 84532, clock: systemClock, signal: stop.signal })).rejects.toBe(
      reason,
    )
  })

  it('is found on the path too, but not in folders named relative to here', async (context) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'attestd-anvil-'))
    context.onTestFinished(() => rm(folder, { recursive: true }))
    await symlink(anvil!, path.join(folder, 'anvil'))
    expect([findAnvil(), path.join(folder, 'anvil')]).toContain(findAnvil(`:.:${folder}`))
    expect(findAnvil(`.:${path.relative('.', folder)}`)).toBe(findAnvil())
  })
})

it('a binary that is not there, and one that is something else', async () => {
  await expect(startAnvil({ binary: '/no/such/anvil', chainId: 1, clock: systemClock })).rejects.toThrow('ENOENT')
  await expect(startAnvil({ binary: process.execPath, chainId: 1, clock: systemClock })).rejects.toThrow(
    'it ended with code 9',
  )
})

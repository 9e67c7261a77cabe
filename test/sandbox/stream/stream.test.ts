import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Sandbox, SandboxKey } from '../../../src/sandbox/create-sandbox.js'
import type { FaultPlanInput } from '../../../src/sandbox/faults/faults.js'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import { ManualClock } from '../../support/manual-clock.js'
import { startSandbox } from '../../support/sandbox.js'
import { StreamProbe } from '../../support/sandbox-events.js'

let sandbox: Sandbox
const probes: StreamProbe[] = []

afterEach(async () => {
  for (const probe of probes.splice(0)) probe.close()
  await sandbox.close()
})

async function start(options: Partial<SandboxOptions> = {}): Promise<void> {
  sandbox = await startSandbox({ snapshotDelayMs: 5, ...options })
}

function open(key: Pick<SandboxKey, 'accessKey' | 'signingSecret'> = sandbox.attesterKey): StreamProbe {
  const probe = new StreamProbe(sandbox.url, key)
  probes.push(probe)
  return probe
}

const register = (name: string) => sandbox.registerFile(name, { content: Buffer.from(name) })
const faults = (...rules: NonNullable<FaultPlanInput['rules']>) => ({ faults: { rules } })
const names = (probe: StreamProbe) => probe.events.map((event) => event.name)

describe('the stream', () => {
  it('reports closing by a snapshot only, and reopening by a delta', async () => {
    await start()
    const asset = await register('a')
    const probe = open()
    await probe.event('open-assets')
    sandbox.world.assets.switch(asset.id, 'closed')
    expect((await probe.event('open-assets', 2)).data.ids).toEqual([])
    expect(names(probe)).not.toContain('new-open-assets')
    sandbox.world.assets.switch(asset.id, 'open')
    expect((await probe.event('new-open-assets')).data.ids).toEqual([asset.id])
  })

  it('reports a deadline that passes without a request', async () => {
    const clock = new ManualClock(Date.now())
    await start({ clock })
    await sandbox.registerFile('a', { content: Buffer.from('a'), deadlineInMs: 300 })
    const probe = open()
    expect((await probe.event('open-assets')).data.ids).toHaveLength(1)
    await clock.advance(1000)
    expect((await probe.event('open-assets', 2)).data.ids).toEqual([])
  })

  it('combines a burst into few snapshots', async () => {
    await start({ snapshotDelayMs: 200 })
    const probe = open()
    await probe.event('open-assets')
    const assets = await Promise.all(Array.from({ length: 30 }, (_, index) => register(`asset ${index}`)))
    const last = await probe.event('open-assets', 2)
    expect(last.data.ids).toHaveLength(30)
    expect(last.data.ids.toSorted()).toEqual(assets.map((asset) => asset.id).toSorted())
    const reported = probe.events.filter((event) => event.name === 'new-open-assets').flatMap((event) => event.data.ids)
    // While the reader is behind, what opens is left to the snapshot.
    expect(reported.length).toBeGreaterThan(0)
    expect(new Set(reported).size).toBe(reported.length)
    expect(names(probe).filter((name) => name === 'open-assets')).toHaveLength(2)
  })

  it('reports a new stake by a new ready event, and not that of another wallet', async () => {
    await start()
    const probe = open()
    await probe.event('open-assets')
    sandbox.control.setStake({ wallet: `0x${'1'.repeat(40)}`, stakedWei: 0n })
    await register('a')
    await probe.event('new-open-assets')
    expect(names(probe).filter((name) => name === 'ready')).toHaveLength(1)
    sandbox.control.setStake({ stakedWei: 3n * 10n ** 18n })
    expect((await probe.event('ready', 2)).data.stake.stakedWei).toBe('3000000000000000000')
  })
})

describe('the stream ends', () => {
  it.each([
    ['the key is revoked', () => sandbox.world.keys.revoke(sandbox.attesterKey.id), /key-revoked/, 401],
    ['the stake falls', () => sandbox.control.setStake({ stakedWei: 1n }), /stake-below-minimum/, 403],
    ['the minimum rises', () => sandbox.control.setStake({ minStakeWei: 10n ** 19n }), /stake-below-minimum/, 403],
  ])('with an error event when %s', async (_name, act, message, status) => {
    await start()
    const probe = open()
    await probe.event('open-assets')
    act()
    expect((await probe.event('error')).data.message).toMatch(message)
    expect(await probe.ended).toBe('clean')
    expect(await open().status).toBe(status)
    while (sandbox.world.streams.size > 0) await sleep(1)
  })

  it('for no other key', async () => {
    await start()
    const other = sandbox.control.createKey({ kind: 'attester' })
    const probe = open(other)
    await probe.event('open-assets')
    sandbox.world.keys.revoke(sandbox.attesterKey.id)
    await register('a')
    await probe.event('new-open-assets')
    expect(names(probe)).not.toContain('error')
  })

  it('when all are cut, and when the sandbox closes', async () => {
    await start()
    const first = open()
    await first.event('open-assets')
    expect(sandbox.control.cutStreams()).toBe(1)
    expect(await first.ended).toBe('broken')
    const second = open()
    await second.event('open-assets')
    await sandbox.close()
    expect(await second.ended).toBe('broken')
  })

  it('for a reader that reads nothing, without using memory meanwhile', async () => {
    await start({ heartbeatMs: 20, slowReaderMs: 200, snapshotDelayMs: 1 })
    const context = 'x'.repeat(200)
    for (let index = 0; index < 300; index++) {
      await sandbox.registerFile(`f${index}`, { content: Buffer.from(`f${index}`), mediaContext: context })
    }
    const probe = open()
    await probe.event('open-assets')
    probe.response?.pause()
    // Every switch is worth a snapshot of 200 KB; a backlog would be 600 MB, one at a time fits the socket.
    const [asset] = sandbox.world.assets.all()
    let switched = 0
    while (sandbox.world.streams.size === 1) {
      switched++
      if (switched % 2 === 1) sandbox.world.assets.switch(asset?.id ?? '', 'closed')
      else sandbox.world.assets.switch(asset?.id ?? '', 'open')
      await sleep(2)
    }
    probe.response?.resume()
    expect(await probe.ended).toBe('broken')
    expect(probe.text.length).toBeLessThan(50_000_000)
  })
})

describe('under a fault the stream', () => {
  it('is cut', async () => {
    await start(faults({ route: 'stream', fault: 'cut', ms: 30, attempts: [1] }))
    const first = open()
    expect(await first.ended).toBe('broken')
    expect(names(first)).toEqual(['ready', 'open-assets'])
    const second = open()
    await second.event('open-assets')
    await register('a')
    await second.event('new-open-assets')
  })

  it('is silent after ready', async () => {
    await start({ heartbeatMs: 5, ...faults({ route: 'stream', fault: 'silence', attempts: [1] }) })
    const silent = open()
    await silent.event('ready')
    const loud = open()
    await register('a')
    for (let beats = 0; beats < 5; beats++) await loud.event('ping', loud.events.length)
    expect(names(silent)).toEqual(['ready'])
  })

  it('sends garbage and continues', async () => {
    await start(faults({ route: 'stream', fault: 'garbage' }))
    const probe = open()
    await probe.event('open-assets', 6)
    await register('a')
    await probe.event('new-open-assets', 6)
    expect(probe.events.some((event) => event.name === 'new-open-assets' && typeof event.data === 'string')).toBe(true)
    expect(names(probe)).toContain('never-heard-of')
  })

  it('sends a huge event and continues', async () => {
    await start(faults({ route: 'stream', fault: 'huge-event', bytes: 3_000_000 }))
    const probe = open()
    await probe.event('open-assets', 2)
    expect(probe.text.length).toBeGreaterThan(3_000_000)
  })

  it('sends an error event and continues', async () => {
    await start(faults({ route: 'stream', fault: 'error-event' }))
    const probe = open()
    await probe.event('open-assets')
    expect(names(probe)).toEqual(['ready', 'error', 'open-assets'])
  })

  it('asks to reconnect at once and ends', async () => {
    await start(faults({ route: 'stream', fault: 'retry-0' }))
    const probe = open()
    expect(await probe.ended).toBe('clean')
    expect(probe.text).toContain('\nretry: 0\n')
  })

  it('misses what opens later', async () => {
    await start({ heartbeatMs: 10, ...faults({ route: 'stream', fault: 'missed-events' }) })
    const probe = open()
    await probe.event('open-assets')
    await register('a')
    for (let beats = 0; beats < 5; beats++) await probe.event('ping', probe.events.length)
    expect(new Set(names(probe))).toEqual(new Set(['ready', 'open-assets', 'ping']))
    expect(names(probe).filter((name) => name === 'open-assets')).toHaveLength(1)
  })

  it('is rejected', async () => {
    await start(faults({ route: 'stream', fault: 'status-503', retryAfterSeconds: 3 }))
    const probe = open()
    expect(await probe.status).toBe(503)
    expect(probe.response?.headers['retry-after']).toBe('3')
  })
})

import { describe, expect, it } from 'vitest'
import { parseStakeAbi } from '../../src/chain/stake-abi.js'
import { StakeContract, type StakeReading } from '../../src/chain/stake-contract.js'
import { StakeWatch, type StakeWatchOptions } from '../../src/chain/stake-watch.js'
import { chainSettings } from '../../src/config/chain-settings.js'
import { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import { anvil } from '../support/anvil.js'
import { ManualClock, settle } from '../support/manual-clock.js'
import { chainReaderFor } from '../support/rpc-server.js'
import { stakeChainFor } from '../support/stake-chain.js'

const ACCOUNT = '0x00000000000000000000000000000000000000aa'
const EVERY_MS = 15_000

const held = (stakedWei: bigint, roles = { attester: true, submitter: false }): StakeReading => ({
  stakedWei,
  minStakeWei: 10n,
  roles,
  blockNumber: 7n,
})
const dead = (retryAfterMs?: number) =>
  new AttestdError('rpc-unreachable', 'https://rpc.example did not answer', retryAfterMs ? { retryAfterMs } : {})

type Answer = StakeReading | Error

/** A watch of a contract that answers as scripted, one answer a reading, the last one for ever. */
function watchOf(answers: readonly Answer[], options: Partial<StakeWatchOptions> = {}) {
  const clock = new ManualClock()
  const lines: [string, unknown][] = []
  const readings: StakeReading[] = []
  const troubles: string[] = []
  let reads = 0
  const note = (facts: unknown, line: string) => lines.push([line, facts])
  const watch = new StakeWatch({
    contract: {
      read: async () => {
        const answer = answers[Math.min(reads, answers.length - 1)]
        reads += 1
        if (answer instanceof Error) throw answer
        return answer!
      },
    },
    account: ACCOUNT,
    everyMs: EVERY_MS,
    clock,
    random: () => 1,
    log: { ...silentLog, info: note, warn: note },
    onReading: (reading) => readings.push(reading),
    onTrouble: ({ reason }) => troubles.push(reason),
    ...options,
  })
  return { watch, clock, lines, readings, troubles, reads: () => reads }
}

/** Runs until the test ends. */
function running({ watch }: ReturnType<typeof watchOf>) {
  const stop = new AbortController()
  const ended = watch.run(stop.signal)
  return async () => {
    stop.abort()
    await ended
  }
}

describe('the stake watch', () => {
  it('reads at once and then repeatedly; each change is logged once', async () => {
    const roles = { attester: false, submitter: false }
    const bench = watchOf([held(20n), held(20n), held(5n), { ...held(5n), blockNumber: 9n }, held(5n, roles)])
    const stop = running(bench)
    await bench.clock.untilSleeping()
    expect(bench.watch.latest).toEqual({ reading: held(20n), atMs: bench.clock.monotonic() })
    for (let reads = 1; reads < 6; reads += 1) {
      expect(bench.reads()).toBe(reads)
      await bench.clock.advance(EVERY_MS)
      await bench.clock.untilSleeping()
    }
    expect(bench.readings).toHaveLength(6)
    const facts = (stakedWei: string, attester: boolean) => ({
      stakedWei,
      minStakeWei: '10',
      attester,
      submitter: false,
    })
    expect(bench.lines).toEqual([
      ['stake and roles were read from the stake contract', facts('20', true)],
      ['stake or roles changed in the stake contract', { ...facts('5', true), block: '7', before: facts('20', true) }],
      ['stake or roles changed in the stake contract', { ...facts('5', false), block: '7', before: facts('5', true) }],
    ])
    await stop()
  })

  it('keeps the last reading during an outage, backs off, and logs it once', async () => {
    const bench = watchOf([held(20n), dead(), dead(), dead(90_000), dead(), held(20n)])
    const stop = running(bench)
    await bench.clock.untilSleeping()
    const readAt = bench.clock.monotonic()
    for (const pauseMs of [EVERY_MS, 1000, 2000, 90_000]) {
      const reads = bench.reads()
      await bench.clock.advance(pauseMs - 1)
      expect(bench.reads()).toBe(reads)
      await bench.clock.advance(1)
      expect(bench.reads()).toBe(reads + 1)
      await bench.clock.untilSleeping()
      expect(bench.watch.latest).toEqual({ reading: held(20n), atMs: readAt })
    }
    await bench.clock.advance(8000)
    await bench.clock.untilSleeping()
    expect(bench.watch.latest?.atMs).toBeGreaterThan(readAt)
    expect(bench.troubles).toEqual(['rpc-unreachable', 'rpc-unreachable', 'rpc-unreachable', 'rpc-unreachable'])
    expect(bench.lines.map(([line]) => line)).toEqual([
      'stake and roles were read from the stake contract',
      'reading the stake contract failed',
      'reading the stake contract failed',
      'the stake contract was read again',
    ])
    await stop()
  })

  it('reports nothing before its first reading', async () => {
    const bench = watchOf([dead()])
    const stop = running(bench)
    await bench.clock.untilSleeping()
    expect(bench.watch.latest).toBeNull()
    expect(bench.readings).toEqual([])
    await stop()
  })

  it('never throws, whatever fails', async () => {
    const onReading = () => {
      throw new TypeError('a bug')
    }
    const bench = watchOf([held(20n)], { onReading })
    const stop = running(bench)
    await bench.clock.untilSleeping()
    await bench.clock.advance(1000)
    await bench.clock.untilSleeping()
    expect(bench.troubles).toEqual(['internal-error', 'internal-error'])
    await stop()
  })

  it('ends in the middle of a reading, without a log line', async () => {
    const signals: AbortSignal[] = []
    const contract: StakeWatchOptions['contract'] = {
      read: (_account, signal) =>
        new Promise((_, reject) => {
          signals.push(signal!)
          signal!.addEventListener('abort', () => reject(signal!.reason))
        }),
    }
    const bench = watchOf([], { contract })
    const stop = running(bench)
    await stop()
    expect(signals[0]?.aborted).toBe(true)
    expect([bench.lines, bench.troubles]).toEqual([[], []])
  })
})

describe('a reading on request', () => {
  it('is shared by callers at the same time; one that leaves does not cancel it for others', async () => {
    let finish: (reading: StakeReading) => void = () => {}
    let reads = 0
    const read = () => {
      reads += 1
      return new Promise<StakeReading>((resolve) => {
        finish = resolve
      })
    }
    const { watch } = watchOf([], { contract: { read } })
    const leaver = new AbortController()
    const left = watch.refresh(leaver.signal).catch((error: unknown) => error)
    const both = Promise.all([watch.refresh(), watch.refresh()])
    leaver.abort()
    expect(await left).toBe(leaver.signal.reason)
    finish(held(3n))
    expect(await both).toEqual([held(3n), held(3n)])
    expect(reads).toBe(1)
    expect(watch.latest?.reading).toEqual(held(3n))
    void watch.refresh()
    await settle()
    expect(reads).toBe(2)
  })

  it('reports what went wrong', async () => {
    const { watch } = watchOf([dead()])
    await expect(watch.refresh()).rejects.toMatchObject({ reason: 'rpc-unreachable' })
  })
})

describe.skipIf(anvil === null)('on a real chain (skipped where there is no anvil)', () => {
  it('sees stake, minimum and roles change, and survives an outage of the chain', async (context) => {
    const chain = await stakeChainFor(context)
    const reader = chainReaderFor(context, chain.rpcUrl)
    const abi = parseStakeAbi(chainSettings.stakeAbi.fallback as string)
    const contract = new StakeContract({ reader, address: chain.address, abi })
    let report: (reading: StakeReading) => void = () => {}
    const next = () =>
      new Promise<StakeReading>((resolve) => {
        report = resolve
      })
    const clock = new ManualClock()
    const account = chain.other.address
    const bench = watchOf([], { contract, account, clock, onReading: (reading) => report(reading) })
    const first = next()
    const stop = running(bench)
    context.onTestFinished(stop)
    expect(await first).toMatchObject({ stakedWei: 0n, minStakeWei: 1_000n, roles: { attester: false } })
    const after = async (change: Promise<unknown>) => {
      await change
      const reading = next()
      await clock.untilSleeping()
      await clock.advance(EVERY_MS)
      return reading
    }
    expect(await after(chain.other.stake(5_000n))).toMatchObject({ stakedWei: 5_000n })
    expect(await after(chain.other.register(true, true))).toMatchObject({ roles: { attester: true, submitter: true } })
    expect(await after(chain.owner.setMinimum(9_000n))).toMatchObject({ minStakeWei: 9_000n })
    expect(await after(chain.owner.setRoles(account, true, false))).toMatchObject({ roles: { attester: false } })
    await chain.stop()
    await clock.untilSleeping()
    await expect(bench.watch.refresh()).rejects.toMatchObject({ reason: 'rpc-unreachable' })
    expect(bench.watch.latest?.reading).toMatchObject({ stakedWei: 5_000n, minStakeWei: 9_000n })
  })
})

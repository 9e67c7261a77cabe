import { describe, expect, it, type TestContext } from 'vitest'
import { type ChainReaderOptions, createChainReader, type RpcCallEvent } from '../../src/chain/create-chain-reader.js'
import { systemClock } from '../../src/core/clock.js'
import { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import { errorFacts } from '../../src/observe/error-facts.js'
import { failure } from '../support/failure.js'
import { deadUrl } from '../support/local-server.js'
import { ManualClock } from '../support/manual-clock.js'
import { type RpcReply, rpcServerFor } from '../support/rpc-server.js'

const MINUTE = 60_000
const LIMIT_MS = 10_000

function readerFor({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, options: Partial<ChainReaderOptions>) {
  const calls: RpcCallEvent[] = []
  const reader = createChainReader({
    chainId: 84532,
    rpcUrls: [],
    timeoutMs: LIMIT_MS,
    maxBlockAgeMs: 2 * MINUTE,
    clock: systemClock,
    log: silentLog,
    onCall: (event) => calls.push(event),
    ...options,
  })
  onTestFinished(() => reader.close())
  return { reader, calls }
}

/** A reader of one healthy endpoint on a clock that a test moves. */
async function oneEndpoint(context: TestContext, options: Partial<ChainReaderOptions> = {}, awayMs = 0) {
  const clock = new ManualClock()
  const server = await rpcServerFor(context, { now: () => clock.now() + awayMs })
  return { clock, server, ...readerFor(context, { rpcUrls: [server.url], clock, ...options }) }
}

/** The same of two. */
async function twoEndpoints(context: TestContext, options: Partial<ChainReaderOptions> = {}) {
  const clock = new ManualClock()
  const endpoint = () => rpcServerFor(context, { now: () => clock.now() })
  const [first, second] = [await endpoint(), await endpoint()]
  return { clock, first, second, ...readerFor(context, { rpcUrls: [first.url, second.url], clock, ...options }) }
}

const origin = (url: string) => new URL(url).origin

describe('the order of endpoints', () => {
  it('puts a failed one last for a while, longer each time, and first again once it works', async (context) => {
    const lines: string[] = []
    const log = { ...silentLog, info: (_: unknown, line: string) => lines.push(line) }
    const { clock, first, reader, calls } = await twoEndpoints(context, { log })
    const asked = () => calls.splice(0).map(({ endpoint }) => (endpoint === first.url ? 1 : 2))
    first.reply = () => ({ status: 503, text: '' })
    await reader.head()
    expect(asked()).toEqual([1, 2])
    await reader.head()
    expect(asked()).toEqual([2])
    clock.tick(5000)
    await reader.head()
    expect(asked()).toEqual([1, 2])
    clock.tick(5000)
    await reader.head()
    expect(asked()).toEqual([2])
    clock.tick(5000)
    first.reply = () => undefined
    await reader.head()
    expect(asked()).toEqual([1])
    expect(lines).toEqual(['an rpc endpoint answered again'])
  })

  it('uses all of them when all have failed', async (context) => {
    const clock = new ManualClock()
    const server = await rpcServerFor(context, { now: () => clock.now() })
    const { reader, calls } = readerFor(context, { rpcUrls: [await deadUrl(), server.url], clock })
    server.reply = () => 'cut'
    const error = await failure(reader.head())
    expect(error).toMatchObject({ reason: 'rpc-unreachable', facts: { endpoints: 2 } })
    server.reply = () => undefined
    expect((await reader.head()).number).toBe(7n)
    expect(calls.at(-1)).toMatchObject({ endpoint: server.url, outcome: 'ok' })
  })

  it('pauses an endpoint for as long as its 429 asks for', async (context) => {
    const { clock, first, second, reader, calls } = await twoEndpoints(context)
    first.reply = () => ({ status: 429, headers: { 'retry-after': '60' }, text: 'slow down' })
    await reader.head()
    first.reply = () => undefined
    clock.tick(59_000)
    await reader.head()
    clock.tick(1000)
    await reader.head()
    const endpoints = [first.url, second.url, second.url, first.url]
    expect(calls.map(({ endpoint }) => endpoint)).toEqual(endpoints)
  })

  it('reports, of several failures, the one that a person must act on', async (context) => {
    const clock = new ManualClock()
    const other = await rpcServerFor(context, { chainId: 1, now: () => clock.now() })
    const dead = await deadUrl()
    const { reader } = readerFor(context, { rpcUrls: [dead, other.url], clock })
    const error = await failure(reader.head())
    expect(error.reason).toBe('rpc-wrong-chain')
    expect(error.message).toContain(`${dead} did not answer (ECONNREFUSED)`)
    expect(error.message).toContain('serves chain 1, not 84532')
  })
})

describe('the checks', () => {
  it('read the chain id once, and again after a failure and after some time', async (context) => {
    const { clock, server, reader } = await oneEndpoint(context)
    const timesAsked = () => server.asked.filter(({ method }) => method === 'eth_chainId').length
    await reader.head()
    await reader.head()
    expect(timesAsked()).toBe(1)
    server.reply = () => ({ status: 500, text: '' })
    await failure(reader.head())
    server.reply = () => undefined
    await reader.head()
    expect(timesAsked()).toBe(2)
    clock.tick(10 * MINUTE)
    await reader.head()
    expect(timesAsked()).toBe(3)
  })

  it.for([
    [-2 * MINUTE, null],
    [-2 * MINUTE - 1000, 'rpc-stale'],
    [30_000, null],
    [2 * MINUTE + 1000, 'rpc-reply-invalid'],
  ] as const)('judge a latest block that is %i ms from the local clock', async ([awayMs, reason], context) => {
    const { reader } = await oneEndpoint(context, {}, awayMs)
    if (reason === null) await reader.head()
    else await expect(reader.head()).rejects.toMatchObject({ reason })
  })

  it('judge a latest block by the service time where it is known', async (context) => {
    const clock = new ManualClock()
    const server = await rpcServerFor(context, { now: () => clock.now() + 60 * MINUTE })
    let stated: { ms: number; by: string } | null = { ms: clock.now() + 60 * MINUTE, by: 'service time' }
    const { reader } = readerFor(context, { rpcUrls: [server.url], clock, blockTime: () => stated })
    await reader.head()
    stated = { ms: clock.now(), by: 'service time' }
    expect((await failure(reader.head())).message).toContain('3600 s ahead of service time')
    stated = null
    expect((await failure(reader.head())).message).toContain('3600 s ahead of the local clock')
  })

  const json = (value: unknown): RpcReply => ({ text: JSON.stringify(value) })
  const LONG = `${' '.repeat(1024 * 1024)}{"id":1,"result":"0x14a34"}`
  const MALFORMED: [string, string, RpcReply, string][] = [
    ['no JSON', 'eth_chainId', { text: '<html>' }, 'rpc-reply-invalid'],
    ['an empty answer', 'eth_chainId', { text: '' }, 'rpc-reply-invalid'],
    ['the answer to another question', 'eth_chainId', json({ id: 999, result: '0x14a34' }), 'rpc-reply-invalid'],
    ['no block', 'eth_getBlockByNumber', { result: null }, 'rpc-reply-invalid'],
    ['more bytes than are read', 'eth_chainId', { text: LONG }, 'rpc-reply-invalid'],
    ['a refusal', 'eth_chainId', json({ id: null, error: { code: -32600, message: 'no' } }), 'rpc-unreachable'],
    ['a server error', 'eth_chainId', { status: 502, text: 'bad gateway' }, 'rpc-unreachable'],
    ['a cut connection', 'eth_chainId', 'cut', 'rpc-unreachable'],
    ['a redirect', 'eth_chainId', { status: 307, headers: { location: '/elsewhere' }, text: '' }, 'rpc-unreachable'],
  ]
  it.for(MALFORMED)('%s', async ([, method, reply, reason], context) => {
    const { server, reader } = await oneEndpoint(context)
    server.reply = (question) => (question.method === method ? reply : undefined)
    const error = await failure(reader.head())
    expect(error).toBeInstanceOf(AttestdError)
    expect(error.reason).toBe(reason)
    expect(error.message).toContain(server.url)
    expect(server.asked.every(({ path }) => path === '/')).toBe(true)
  })

  it.for(['never', 'half', 'drip'] as const)(
    'end an answer that arrives as %s at the time limit',
    async (reply, context) => {
      const { clock, server, reader } = await oneEndpoint(context, { timeoutMs: 5000 })
      const asked = new Promise<void>((resolve) => {
        server.reply = () => {
          resolve()
          return reply
        }
      })
      const end = failure(reader.head())
      await asked
      await clock.advance(5000)
      expect(await end).toMatchObject({
        reason: 'rpc-unreachable',
        message: `${server.url} did not complete its answer in 5000 ms`,
      })
    },
  )
})

describe('what leaves the reader', () => {
  const KEY = 'k3y0123456789abcdef'

  it('contains no part of the URL after the origin, in messages, facts, log lines and metrics', async (context) => {
    const clock = new ManualClock()
    const server = await rpcServerFor(context, { now: () => clock.now() })
    const written: unknown[] = []
    const note = (facts: unknown, line: string) => written.push([facts, line])
    const log = { debug: note, info: note, warn: note, error: note }
    const url = `${server.url.replace('//', `//user:${KEY}pass@`)}/v2/${KEY}?token=${KEY}${KEY}`
    const { reader, calls } = readerFor(context, { rpcUrls: [url], clock, log })
    const echo = (path: string) => JSON.stringify({ id: null, error: { code: -32000, message: `bad key in ${path}` } })
    const replies: ((path: string) => RpcReply)[] = [
      (path) => ({ status: 401, text: echo(path) }),
      (path) => ({ status: 200, text: echo(path) }),
      (path) => ({ status: 403, text: `<p>${path}</p>` }),
      (path) => ({ status: 200, text: `<p>${path}</p>` }),
      () => 'cut',
      () => ({ result: '0x1' }),
      (path) => ({ result: path }),
    ]
    for (const reply of replies) {
      server.reply = ({ path }) => reply(path)
      const error = await failure(reader.head())
      expect(error).toBeInstanceOf(AttestdError)
      written.push(errorFacts(error), error.stack, error.facts)
    }
    server.reply = ({ method, path }) =>
      method === 'eth_call'
        ? { text: JSON.stringify({ id: null, error: { code: 3, message: `reverted ${path}`, data: '0x' } }) }
        : undefined
    const refused = await failure(
      reader.read((client, { number }) => client.call({ to: CONTRACT, data: '0x12345678', blockNumber: number })),
    )
    written.push(errorFacts(refused), refused.stack, refused.message)
    await reader.close()
    written.push(errorFacts(await failure(reader.head())))
    expect(server.asked[0]?.path).toContain(KEY)
    expect(server.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from(`user:${KEY}pass`).toString('base64')}`)
    expect(JSON.stringify([written, calls])).not.toContain(KEY)
    expect(new Set(calls.map(({ endpoint }) => endpoint))).toEqual(new Set([origin(server.url)]))
  })

  it.for([
    ['no endpoint of a chain that is not known', { chainId: 31337 }, 'setting-missing'],
    ['what is no URL', { rpcUrls: ['https://good.example', `wss://bad.example/${KEY}`] }, 'setting-invalid'],
  ] as const)('%s is refused at the start', ([, options, reason], context) => {
    let thrown: unknown
    try {
      readerFor(context, options)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ reason })
    expect(String(thrown)).not.toContain(KEY)
  })
})

const CONTRACT = '0x00000000000000000000000000000000000000aa'

describe('the work', () => {
  it('is repeated at the next endpoint where one fails in the middle', async (context) => {
    const { first, second, reader, calls } = await twoEndpoints(context)
    first.reply = ({ method }) => (method === 'eth_getCode' ? { result: 'not hex' } : undefined)
    second.reply = ({ method }) => (method === 'eth_getCode' ? { result: '0x6001' } : undefined)
    const code = await reader.read((client, { number }) => client.getCode({ address: CONTRACT, blockNumber: number }))
    expect(code).toBe('0x6001')
    expect(calls.map(({ outcome }) => outcome)).toEqual(['rpc-reply-invalid', 'ok'])
  })

  it('is repeated once after a pause, where the server has not seen the block yet', async (context) => {
    const pauses: number[] = []
    /** Time limits stand still; pauses are over at once. */
    class PauselessClock extends ManualClock {
      override sleep(ms: number, signal?: AbortSignal): Promise<void> {
        if (ms === LIMIT_MS) return super.sleep(ms, signal)
        pauses.push(ms)
        return Promise.resolve()
      }
    }
    const clock = new PauselessClock()
    const server = await rpcServerFor(context, { now: () => clock.now() })
    const behind = { text: JSON.stringify({ id: null, error: { code: -32000, message: 'header not found' } }) }
    let timesBehind = 1
    server.reply = ({ method }) => {
      if (method !== 'eth_getCode') return undefined
      timesBehind -= 1
      return timesBehind < 0 ? { result: '0x6001' } : behind
    }
    const { reader, calls } = readerFor(context, { rpcUrls: [server.url], clock })
    const code = () => reader.read((client, { number }) => client.getCode({ address: CONTRACT, blockNumber: number }))
    expect(await code()).toBe('0x6001')
    expect(pauses).toEqual([1000])
    timesBehind = 2
    expect(await failure(code())).toMatchObject({ reason: 'rpc-unreachable', facts: { behind: true } })
    expect(timesBehind).toBe(0)
    expect(calls.map(({ outcome }) => outcome)).toEqual(['ok', 'rpc-unreachable'])
  })

  it('that fails with its own error at every endpoint ends with the first, and no endpoint is blamed', async (context) => {
    const { first, second, reader, calls } = await twoEndpoints(context)
    const own = new AttestdError('stake-contract-unreadable')
    expect(await failure(reader.read(() => Promise.reject(own)))).toBe(own)
    expect(calls.splice(0)).toMatchObject([
      { endpoint: first.url, outcome: 'ok' },
      { endpoint: second.url, outcome: 'ok' },
    ])
    const bug = new TypeError('a bug')
    expect(await failure(reader.read(() => Promise.reject(bug)))).toBe(bug)
    expect(calls).toEqual([])
  })

  it('that succeeds at another endpoint shows the fault of the previous one, which pauses and is checked again', async (context) => {
    const { clock, first, second, reader, calls } = await twoEndpoints(context)
    const codeOf = () =>
      reader.read(async (client, { number }) => {
        const code = await client.getCode({ address: CONTRACT, blockNumber: number })
        if (code === undefined) throw new AttestdError('stake-contract-unreadable')
        return code
      })
    second.reply = ({ method }) => (method === 'eth_getCode' ? { result: '0x6001' } : undefined)
    expect(await codeOf()).toBe('0x6001')
    await codeOf()
    const order = () => calls.splice(0).map(({ endpoint, outcome }) => [endpoint === first.url ? 1 : 2, outcome])
    expect(order()).toEqual([
      [1, 'stake-contract-unreadable'],
      [2, 'ok'],
      [2, 'ok'],
    ])
    first.reply = ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined)
    clock.tick(5000)
    await codeOf()
    expect(order()).toEqual([
      [1, 'rpc-wrong-chain'],
      [2, 'ok'],
    ])
  })

  it('ends with the signal, which is no failure of the endpoint', async (context) => {
    const clock = new ManualClock()
    const server = await rpcServerFor(context, { now: () => clock.now() })
    const { reader, calls } = readerFor(context, { rpcUrls: [server.url, server.url], clock })
    const stop = new AbortController()
    const asked = new Promise<void>((resolve) => {
      server.reply = ({ method }) => {
        if (method !== 'eth_call') return undefined
        resolve()
        return 'never'
      }
    })
    const end = failure(reader.read((client) => client.call({ to: CONTRACT, data: '0x12345678' }), stop.signal))
    await asked
    const reason = new Error('we stop')
    stop.abort(reason)
    expect(await end).toBe(reason)
    expect(await failure(reader.head(stop.signal))).toBe(reason)
    expect(calls).toEqual([])
  })
})

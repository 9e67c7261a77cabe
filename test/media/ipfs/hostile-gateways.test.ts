import type http from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { filesBelow } from '../../support/files-below.js'
import { ManualClock } from '../../support/manual-clock.js'
import { sha256Hex, someBytes, TestDag } from '../support/dag.js'
import { failure, startGateway, startSource, type TestSource } from '../support/media-parts.js'
import { selfSigned } from '../support/self-signed.js'
import { encodeCar, type GatewayFaults } from '../support/test-gateway.js'

const content = someBytes(2_000_000)
const contentHash = sha256Hex(content)
const foreign = someBytes(5_000, 'foreign')

async function dagWithContent() {
  const dag = new TestDag()
  const cid = await dag.add({ '': content })
  return { dag, uri: `ipfs://${cid}`, junk: { cid: await dag.put(foreign, 0x55), bytes: foreign } }
}

/** The gateway that delivered last. */
function gatewayThatServed({ events }: TestSource): string | undefined {
  const served = events.flatMap((event) => (event.type === 'gateway' && event.outcome === 'ok' ? [event.gateway] : []))
  return served.at(-1)
}

/** A byte in the middle flipped. */
function flipped(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes)
  copy[copy.length >> 1]! ^= 1
  return copy
}

function endless(response: http.ServerResponse, chunk: Buffer): void {
  const pump = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pump)
  pump()
}

const carType = { 'content-type': 'application/vnd.ipld.car; version=1' }

describe('a gateway that violates the protocol', () => {
  const refusals: [
    name: string,
    faults: (parts: Awaited<ReturnType<typeof dagWithContent>>) => GatewayFaults,
    reason: string,
  ][] = [
    ['flips a bit in a CAR', () => ({ carBytes: flipped }), 'media-integrity'],
    ['flips a bit in a block', () => ({ noCar: true, rawBytes: flipped }), 'media-integrity'],
    [
      'answers with other blocks',
      () => ({ carBlocks: (blocks) => blocks.map(({ cid }) => ({ cid, bytes: foreign })) }),
      'media-integrity',
    ],
    [
      'slips in a block that nothing links to',
      ({ junk }) => ({ carBlocks: ([root, ...rest]) => [root!, junk, ...rest] }),
      'media-integrity',
    ],
    ['puts such a block first', ({ junk }) => ({ carBlocks: (blocks) => [junk, ...blocks] }), 'media-integrity'],
    ['sends noise as a CAR', () => ({ carBytes: () => someBytes(100_000, 'noise') }), 'media-integrity'],
    [
      'states a section of 2^50 bytes',
      () => ({
        carBytes: (car) =>
          Buffer.concat([car.subarray(0, 59), Buffer.from('8080808080808004', 'hex'), someBytes(1000)]),
      }),
      'media-integrity',
    ],
    [
      'states a header of 2^50 bytes',
      () => ({ carBytes: () => Buffer.from('8080808080808004', 'hex') }),
      'media-integrity',
    ],
    ['is gone', () => ({ answer: (request) => Boolean(request.socket.destroy()) }), 'media-unreachable'],
    ['fails', () => ({ answer: status(502) }), 'media-unreachable'],
    ['does not have it', () => ({ answer: status(404) }), 'media-unreachable'],
    [
      'answers with a page for everything',
      () => ({ answer: body({ 'content-type': 'text/html' }, '<html>') }),
      'media-integrity',
    ],
    [
      'compresses although asked not to',
      () => ({ answer: body({ ...carType, 'content-encoding': 'gzip' }, gzipSync(content)) }),
      'media-unreachable',
    ],
    [
      'redirects to another private address',
      () => ({ answer: redirect(() => 'https://10.0.0.1/') }),
      'media-unreachable',
    ],
    ['redirects to plain http elsewhere', () => ({ answer: redirect(() => 'http://1.1.1.1/') }), 'media-unreachable'],
  ]

  it.each(refusals)('is rejected when it %s, and the next one serves', async (_, faultsOf, reason) => {
    const parts = await dagWithContent()
    const bad = await startGateway(parts.dag, faultsOf(parts))
    const good = await startGateway(parts.dag)

    const alone = await startSource({ gateways: [bad.url] })
    expect((await failure(alone.fetch({ uri: parts.uri, contentHash }))).reason).toBe(reason)
    expect(await filesBelow(alone.folder)).toEqual([])

    const both = await startSource({ gateways: [bad.url, good.url] })
    expect(await both.fetch({ uri: parts.uri, contentHash })).toMatchObject({ bytes: content.length })
    expect(gatewayThatServed(both)).toBe(good.name)
  })

  it('may redirect within its origin', async () => {
    const { dag, uri } = await dagWithContent()
    const gateway = await startGateway(dag, {
      answer: (request, response) =>
        !request.url!.includes('hop') && redirect((r) => `${r.url}&hop`)(request, response),
    })
    const source = await startSource({ gateways: [gateway.url] })
    expect(await source.fetch({ uri, contentHash })).toMatchObject({ bytes: content.length })
  })

  it('is not followed to another private origin, and its credentials stay', async () => {
    const { dag, uri } = await dagWithContent()
    const tls = selfSigned('other.test')
    const other = await startGateway(dag, { tls })
    const port = Number(new URL(other.url).port)
    let elsewhere = `https://127.0.0.1:${port}`
    const gateway = await startGateway(dag, { answer: redirect((request) => elsewhere + request.url!) })
    const options = {
      gateways: [gateway.url.replace('://', '://user:pass@')],
      allowedPorts: [port],
      ca: tls.cert,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    }
    const source = await startSource(options)
    expect((await failure(source.fetch({ uri, contentHash }))).message).toContain(
      'redirected to a place that is not allowed',
    )
    expect(other.requests).toEqual([])

    elsewhere = `https://other.test:${port}`
    const open = await startSource({ ...options, isAllowed: () => true })
    expect(await open.fetch({ uri, contentHash })).toMatchObject({ bytes: content.length })
    expect(other.authorizations).toEqual([undefined])
  })

  it.each([false, true])('is rejected with blocks over 2 MiB even with the right hash (raw: %s)', async (noCar) => {
    const dag = new TestDag()
    const big = someBytes(2 * 1024 * 1024 + 1)
    const gateway = await startGateway(dag, { noCar })
    const source = await startSource({ gateways: [gateway.url] })
    const uri = `ipfs://${await dag.put(big, 0x55)}`
    expect((await failure(source.fetch({ uri, contentHash: sha256Hex(big) }))).reason).toBe('media-integrity')
  })

  it('is rejected as soon as a block exceeds 2 MiB, even if it never ends', async () => {
    const { dag, uri } = await dagWithContent()
    const gateway = await startGateway(dag, {
      noCar: true,
      answer: (request, response) => {
        if (!request.url!.includes('format=raw')) return false
        response.write(Buffer.alloc(2 * 1024 * 1024 + 1))
        return true
      },
    })
    const source = await startSource({ gateways: [gateway.url] })
    expect(await failure(source.fetch({ uri, contentHash }))).toMatchObject({ reason: 'media-integrity' })
  })

  it('keeps no request open after one block was wrong', async () => {
    const { dag, uri } = await dagWithContent()
    let asked = 0
    let closed = 0
    const gateway = await startGateway(dag, {
      noCar: true,
      answer: (request, response) => {
        if (!request.url!.includes('format=raw')) return false
        asked += 1
        if (asked === 1) return false
        response.on('close', () => {
          closed += 1
        })
        // The first leaf is wrong; those that were asked for ahead are never answered.
        if (asked === 2) response.end('wrong')
        return true
      },
    })
    const source = await startSource({ gateways: [gateway.url] })
    expect((await failure(source.fetch({ uri, contentHash }))).reason).toBe('media-integrity')
    expect(asked).toBe(5)
    await expect.poll(() => closed).toBe(4)
  })

  it('stops an endless CAR of valid blocks', async () => {
    const { dag, uri } = await dagWithContent()
    const [root, leaf] = await dag.carBlocks(await dag.add({ '': content }), [])
    const car = await encodeCar(root!.cid, [root!, leaf!])
    const again = (await encodeCar(root!.cid, [root!, leaf!, leaf!])).subarray(car.length)
    const gateway = await startGateway(dag, {
      answer: (_, response) => {
        response.writeHead(200, carType)
        response.write(car)
        endless(response, again)
        return true
      },
    })
    const source = await startSource({ gateways: [gateway.url], maxBytes: 3_000_000 })
    expect((await failure(source.fetch({ uri, contentHash }))).reason).toBe('media-integrity')
  })
})

describe('an incomplete but valid CAR', () => {
  const imperfect: [name: string, faults: GatewayFaults][] = [
    ['is cut inside a block', { carBytes: (car) => car.subarray(0, 1_234_567) }],
    ['is cut before the first block', { carBytes: (car) => car.subarray(0, 20) }],
    ['is empty', { carBytes: () => Buffer.alloc(0) }],
    ['breaks off with the connection', { cutAfter: 700_000 }],
    ['has its blocks in another order', { carBlocks: ([root, ...rest]) => [root!, ...rest.toReversed()] }],
    ['lacks blocks', { carBlocks: (blocks) => blocks.filter((_, i) => i % 3 !== 1) }],
    ['repeats every block', { carBlocks: (blocks) => blocks.flatMap((block) => [block, block]) }],
  ]
  it.each(imperfect)('is used and completed block by block when it %s', async (_, faults) => {
    const { dag, uri } = await dagWithContent()
    const gateway = await startGateway(dag, faults)
    const source = await startSource({ gateways: [gateway.url] })
    expect(await source.fetch({ uri, contentHash })).toMatchObject({ bytes: content.length })
  })

  it('is enough without repeated blocks', async () => {
    const dag = new TestDag()
    const zeros = Buffer.alloc(1_000_000)
    const uri = `ipfs://${await dag.add({ '': zeros })}`
    const seen = new Set<string>()
    const isNew = (key: string) => !seen.has(key) && Boolean(seen.add(key))
    const gateway = await startGateway(dag, { carBlocks: (blocks) => blocks.filter(({ cid }) => isNew(`${cid}`)) })
    const source = await startSource({ gateways: [gateway.url] })
    await source.fetch({ uri, contentHash: sha256Hex(zeros) })
    expect(gateway.requests).toHaveLength(1)
  })
})

describe('time limits', () => {
  it('end a silent transfer after the idle limit', async () => {
    const { dag, uri } = await dagWithContent()
    for (const faults of [{ stallAfter: 500_000 }, { answer: () => true }]) {
      const gateway = await startGateway(dag, faults)
      const source = await startSource({ gateways: [gateway.url], idleMs: 100 })
      expect((await failure(source.fetch({ uri, contentHash }))).reason).toBe('media-timeout')
      expect(source.events).toContainEqual(expect.objectContaining({ type: 'gateway', outcome: 'timeout' }))
      expect(await filesBelow(source.folder)).toEqual([])
    }
  })

  it('end a dripping transfer after the total limit', async () => {
    const { dag, uri } = await dagWithContent()
    const [root] = await dag.carBlocks(await dag.add({ '': content }), [])
    const car = await encodeCar(root!.cid, [root!])
    const gateway = await startGateway(dag, {
      answer: (_, response) => {
        response.writeHead(200, carType)
        let at = 0
        const timer = setInterval(() => {
          response.write(car.subarray(at, at + 1))
          at += 1
        }, 20)
        response.on('close', () => clearInterval(timer))
        return true
      },
    })
    const source = await startSource({ gateways: [gateway.url], timeoutMs: 300 })
    expect((await failure(source.fetch({ uri, contentHash }))).reason).toBe('media-timeout')
  })

  it('end a first slow attempt after 8 s, and give the next one more time', async () => {
    const { dag, uri } = await dagWithContent()
    const gateway = await startGateway(dag, { stallAfter: 3 })
    const clock = new ManualClock()
    const source = await startSource({ gateways: [gateway.url], clock, timeoutMs: 120_000, hedgeMs: 1e9 })
    const ended = failure(source.fetch({ uri, contentHash, slowBefore: 0 }))
    await expect.poll(() => source.events.some((event) => event.type === 'pool' && event.connections === 1)).toBe(true)
    await expect.poll(() => gateway.requests.length).toBe(1)
    await clock.advance(8_000)
    expect((await ended).reason).toBe('media-too-slow')
    expect(source.events).toContainEqual({ type: 'put-off', scheme: 'ipfs', reason: 'media-too-slow' })
    gateway.faults = {}
    await source.fetch({ uri, contentHash, slowBefore: 1 })
    expect(source.events.findLast((event) => event.type === 'pool')).toMatchObject({ later: 0, connections: 0 })
  })

  it('ask the next gateway when the first is silent, and end the first', async () => {
    const { dag, uri } = await dagWithContent()
    let dropped = false
    const silent = await startGateway(dag, {
      answer: (request) => {
        request.socket.on('close', () => {
          dropped = true
        })
        return true
      },
    })
    const good = await startGateway(dag)
    const source = await startSource({ gateways: [silent.url, good.url], hedgeMs: 50 })
    await source.fetch({ uri, contentHash })
    expect(gatewayThatServed(source)).toBe(good.name)
    await expect.poll(() => dropped).toBe(true)
    // On a busy machine the other one may be silent for as long, and it is asked again.
    expect(silent.requests).not.toEqual([])
  })

  it('stop at once when the caller gives up', async () => {
    const { dag, uri } = await dagWithContent()
    const gateway = await startGateway(dag, { stallAfter: 500_000 })
    const source = await startSource({ gateways: [gateway.url] })
    const controller = new AbortController()
    const fetching = failure(source.fetch({ uri, contentHash }, controller.signal))
    await expect.poll(() => gateway.requests.length).toBe(1)
    controller.abort(new Error('given up'))
    expect((await fetching).message).toBe('given up')
    await expect.poll(() => filesBelow(source.folder)).toEqual([])
  })
})

describe('the order of gateways', () => {
  it('starts with the one that worked after one failed', async () => {
    const { dag, uri } = await dagWithContent()
    for (const faults of [{ carBytes: flipped }, { answer: status(500) }]) {
      const bad = await startGateway(dag, faults)
      const good = await startGateway(dag)
      const source = await startSource({ gateways: [bad.url, good.url] })
      await source.fetch({ uri, contentHash })
      const other = someBytes(100, `${bad.url}`)
      await source.fetch({ uri: `ipfs://${await dag.add({ '': other })}`, contentHash: sha256Hex(other) })
      expect(bad.requests).toHaveLength(1)
      expect(good.requests).toHaveLength(2)
    }
  })

  it('keeps a gateway that only lacks a file in front', async () => {
    const { dag, uri } = await dagWithContent()
    const first = await startGateway(dag, { answer: status(404) })
    const second = await startGateway(dag)
    const source = await startSource({ gateways: [first.url, second.url] })
    await source.fetch({ uri, contentHash })
    first.faults = {}
    const other = someBytes(100, 'other')
    await source.fetch({ uri: `ipfs://${await dag.add({ '': other })}`, contentHash: sha256Hex(other) })
    expect(gatewayThatServed(source)).toBe(first.name)
  })

  it('pauses a gateway for as long as it asks', async () => {
    const { dag, uri } = await dagWithContent()
    const busy = await startGateway(dag, {
      answer: (_, response) => Boolean(response.writeHead(429, { 'retry-after': '120' }).end()),
    })
    const source = await startSource({ gateways: [busy.url] })
    const first = await failure(source.fetch({ uri, contentHash }))
    const second = await failure(source.fetch({ uri, contentHash }))
    for (const error of [first, second]) {
      expect(error.reason).toBe('media-unreachable')
      expect(error.retryAfterMs).toBeGreaterThan(100_000)
      expect(error.retryAfterMs).toBeLessThanOrEqual(120_000)
    }
    expect(busy.requests).toHaveLength(1)
  })
})

function status(code: number): NonNullable<GatewayFaults['answer']> {
  return (_, response) => Boolean(response.writeHead(code).end())
}

function body(headers: http.OutgoingHttpHeaders, bytes: Buffer | string): NonNullable<GatewayFaults['answer']> {
  return (_, response) => Boolean(response.writeHead(200, headers).end(bytes))
}

function redirect(to: (request: http.IncomingMessage) => string): NonNullable<GatewayFaults['answer']> {
  return (request, response) => Boolean(response.writeHead(302, { location: to(request) }).end())
}

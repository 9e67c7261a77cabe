import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import {
  createByteBudget,
  createGatewayHttp,
  fetchBlock,
  type GatewayHttp,
  ipfsPath,
  parseGateway,
} from '../../../src/media/ipfs/gateway.js'
import { createAddressGuard } from '../../../src/media/web/address-guard.js'
import { withReason } from '../../support/with-reason.js'
import { cidOf as cidOfCodec, TestDag } from '../support/dag.js'
import { type GatewayFaults, TestGateway } from '../support/test-gateway.js'

const MIB = 1024 * 1024

describe('parseGateway', () => {
  it.each([
    ['https://gw.example', 'gw.example', '/'],
    ['https://gw.example/', 'gw.example', '/'],
    ['https://gw.example/ipfs', 'gw.example', '/'],
    ['https://gw.example/ipfs///', 'gw.example', '/'],
    ['https://gw.example/base/ipfs/', 'gw.example', '/base'],
    ['http://127.0.0.1:8080/base', '127.0.0.1:8080', '/base'],
    ['https://gw.example/myipfs', 'gw.example', '/myipfs'],
  ])('%s', (text, name, pathname) => {
    expect(parseGateway(text)).toMatchObject({ name, authorization: undefined })
    expect(parseGateway(text).base.pathname).toBe(pathname)
  })

  it.each([
    ['https://user:pass@gw.example', 'user:pass'],
    ['https://user@gw.example', 'user:'],
    ['https://:pass@gw.example', ':pass'],
    ['https://u%40x:p%3Aq%25@gw.example', 'u@x:p:q%'],
  ])('removes the credentials of %s from the URL', (text, credentials) => {
    const { authorization, base, name } = parseGateway(text)
    expect(authorization).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`)
    expect([base.username, base.password, name]).toEqual(['', '', 'gw.example'])
  })

  it.each([
    ['gw.example', /does not parse/],
    ['', /does not parse/],
    ['ftp://gw.example', /ftp: is neither/],
    ['ipfs://gw.example', /ipfs: is neither/],
    ['https://gw.example/?key=hidden', /gw\.example has a query/],
    ['https://gw.example/#x', /a query or a fragment/],
    ['https://u%zz:hidden@gw.example', /not percent-encoded/],
  ])('refuses %s, and repeats no secret', (text, message) => {
    const parse = () => parseGateway(text)
    expect(parse).toThrow(withReason('setting-invalid', message))
    expect(parse).not.toThrow(/hidden/)
  })
})

const RAW = 0x55
const cidOf = (bytes: Uint8Array, code = RAW) => cidOfCodec(bytes, code)

it('a path has each segment encoded, and only the slashes between them kept', () => {
  const cid = cidOf(Buffer.from('x'))
  expect(ipfsPath(cid)).toBe(`/ipfs/${cid.toString()}`)
  expect(ipfsPath(cid, ['a b', 'c/d', '?#%', 'ü'])).toBe(`/ipfs/${cid.toString()}/a%20b/c%2Fd/%3F%23%25/%C3%BC`)
})

describe('fetchBlock', () => {
  const open: { close(): Promise<unknown> }[] = []
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close()
  })

  async function setUp(body: Buffer): Promise<{ http: GatewayHttp; server: TestGateway }> {
    const faults: GatewayFaults = {
      answer: (_, response) => {
        response.end(body)
        return true
      },
    }
    const server = await TestGateway.start(new TestDag(), faults)
    const guard = createAddressGuard()
    const http = createGatewayHttp({ guard, maxRedirects: 2, idleMs: 5000, connectTimeoutMs: 1000, clock: systemClock })
    open.push(
      { close: () => server.stop() },
      { close: () => http.close() },
      { close: () => guard.dispatcher.destroy() },
    )
    return { http, server }
  }
  const unlimited = createByteBudget(100 * MIB)
  it('accepts the bytes of the CID only', async () => {
    const bytes = Buffer.from('some block')
    const { http, server } = await setUp(bytes)
    const gateway = parseGateway(`${server.url}/`)
    const signal = new AbortController().signal
    expect(await fetchBlock(http, gateway, cidOf(bytes), unlimited, signal)).toEqual(bytes)
    expect(server.requests).toEqual([`/ipfs/${cidOf(bytes).toString()}?format=raw`])
    await expect(fetchBlock(http, gateway, cidOf(Buffer.from('other')), unlimited, signal)).rejects.toThrow(
      withReason('media-integrity'),
    )
  })

  it('accepts 16 MiB more than the largest file from one gateway, and not a byte more', async () => {
    const block = Buffer.alloc(2 * MIB, 3)
    const { http, server } = await setUp(block)
    const gateway = parseGateway(server.url)
    const budget = createByteBudget(0)
    const fetched = () => fetchBlock(http, gateway, cidOf(block), budget, new AbortController().signal)
    for (let nth = 1; nth <= 8; nth++) expect(await fetched()).toHaveLength(2 * MIB)
    await expect(fetched()).rejects.toThrow(withReason('media-integrity', /for a file of at most 0/))
  })
})

import dns from 'node:dns'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { RpcCaller } from '../../../src/chain/rpc-caller.js'
import { systemClock } from '../../../src/core/clock.js'
import { createGatewayHttp, parseGateway } from '../../../src/media/ipfs/gateway.js'
import { createAddressGuard } from '../../../src/media/web/address-guard.js'
import { HttpCaller } from '../../../src/service/http.js'
import { urlAnswering } from '../../support/local-server.js'
import { ManualClock } from '../../support/manual-clock.js'

type Answer = (error: Error | null, addresses: dns.LookupAddress[]) => void

it('a host is looked up once for all connections that wait for it, and again for later ones', async () => {
  const { port } = new URL(await urlAnswering((_, response) => void response.end('{}')))
  const held = new Map<string, Answer[]>()
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((name: string, _: unknown, answer: Answer) =>
      held.set(name, [...(held.get(name) ?? []), answer])) as never)
  onTestFinished(() => lookup.mockRestore())
  const limits = { clock: systemClock, connectTimeoutMs: 60_000, idleMs: 60_000, timeoutMs: 60_000, userAgent: 'test' }
  const guard = createAddressGuard()
  const gateways = createGatewayHttp({ ...limits, guard, maxRedirects: 0 })
  const service = new HttpCaller(limits)
  onTestFinished(() => void Promise.all([gateways.close(), guard.dispatcher.destroy(), service.close()]))

  const gateway = parseGateway(`http://gateway.test:${port}`)
  const { signal } = new AbortController()
  const fetched = Array.from({ length: 5 }, () => gateways.get(gateway, '/ipfs/x', 'text/plain', signal))
  const call = { method: 'GET', route: 'GET /', changes: false, url: new URL(`http://service.test:${port}/`) } as const
  const asked = Array.from({ length: 5 }, () => service.json(call, z.strictObject({})))
  const outcomes = Promise.allSettled([...fetched, ...asked])
  await expect.poll(() => [...held.keys()].toSorted()).toEqual(['gateway.test', 'service.test'])
  // Whatever else connects does so in the same turn.
  for (const answers of held.values()) {
    expect(answers).toHaveLength(1)
    answers[0]!(new Error('no answer'), [])
  }
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(10).fill('rejected'))

  held.clear()
  const later = service.json(call, z.strictObject({}))
  await expect.poll(() => held.get('service.test')?.length).toBe(1)
  held.get('service.test')![0]!(null, [{ address: '127.0.0.1', family: 4 }])
  expect(await later).toEqual({})
})

it('a failure to connect names the host for which no name server has answered', async () => {
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation((() => {}) as never)
  onTestFinished(() => lookup.mockRestore())
  const clock = new ManualClock()
  const service = new HttpCaller({ clock, timeoutMs: 5000, userAgent: 'test' })
  const rpc = new RpcCaller({ url: 'http://rpc.unanswered.test', timeoutMs: 5000, clock })
  onTestFinished(() => void Promise.all([service.close(), rpc.close()]))
  const url = new URL('http://service.unanswered.test')
  const asked = service.json({ method: 'GET', route: 'GET /', changes: false, url }, z.strictObject({}))
  const called = rpc.call('eth_chainId', [])
  const guard = createAddressGuard()
  const limits = { clock, connectTimeoutMs: 1, idleMs: 60_000, maxRedirects: 0 }
  const gateways = createGatewayHttp({ ...limits, guard })
  onTestFinished(() => void Promise.all([gateways.close(), guard.dispatcher.destroy()]))
  const gateway = parseGateway('http://gateway.unanswered.test')
  const fetched = gateways.get(gateway, '/ipfs/x', 'text/plain', new AbortController().signal)
  const failures = Promise.allSettled([asked, called, fetched])
  await expect.poll(() => lookup.mock.calls.length).toBe(3)
  await clock.advance(5000)
  expect((await failures).map((each) => each.status === 'rejected' && each.reason.message)).toEqual([
    'GET / could not connect within 5000 ms; no name server has answered for service.unanswered.test',
    'http://rpc.unanswered.test did not complete its answer in 5000 ms; no name server has answered for rpc.unanswered.test',
    expect.stringMatching(/^gateway\.unanswered\.test failed: .*; no name server has answered for gateway/),
  ])
})

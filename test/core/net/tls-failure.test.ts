import http2 from 'node:http2'
import https from 'node:https'
import type tls from 'node:tls'
import { Agent } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { diagnoseGateways } from '../../../src/app/doctor/diagnose-gateways.js'
import { RpcCaller } from '../../../src/chain/rpc-caller.js'
import { loadSettings } from '../../../src/config/load.js'
import { systemClock } from '../../../src/core/clock.js'
import { HttpCaller } from '../../../src/service/http.js'
import { SseConnection } from '../../../src/service/sse-connection.js'
import { selfSigned } from '../../media/support/self-signed.js'
import { endServer, listen, portOf } from '../../support/local-server.js'

it.each([
  [
    'a certificate that this machine does not trust',
    () => https.createServer(selfSigned('localhost')),
    'NODE_EXTRA_CA_CERTS',
    /certificate/,
  ],
  [
    'HTTP/2 alone',
    () => http2.createSecureServer(selfSigned('localhost')),
    'enable HTTP/1.1',
    /failed: TLS: .* no application protocol\. {2}\[/,
  ],
])('%s: service, stream, RPC endpoint and gateway name what to do', async (_, serve, words, message) => {
  const server: tls.Server = serve()
  onTestFinished(() => endServer(server))
  const url = `https://localhost:${portOf(await listen(server))}`
  const options = { clock: systemClock, timeoutMs: 10_000, userAgent: 'test/1' }
  const http = new HttpCaller(options)
  const rpc = new RpcCaller({ url, ...options })
  const dispatcher = new Agent()
  onTestFinished(async () => void (await Promise.all([http.close(), rpc.close(), dispatcher.destroy()])))
  const stream = new SseConnection({
    source: { url: new URL(url), route: 'GET /stream', sign: async () => ({}), decode: async () => [] },
    dispatcher,
    headerTimeoutMs: 10_000,
    idleMs: 10_000,
    lastId: '',
    ...options,
  })

  const fix = expect.stringContaining(words)
  const call = { method: 'GET', url: new URL(url), route: 'GET /', changes: false } as const
  await expect(http.done(call)).rejects.toMatchObject({ reason: 'service-unreachable', fix })
  await expect(stream.items().next()).rejects.toMatchObject({ reason: 'service-unreachable', fix })
  await expect(rpc.call('eth_chainId', [])).rejects.toMatchObject({ reason: 'rpc-unreachable', fix })
  const { settings } = loadSettings({ env: { ATTESTD_IPFS_GATEWAYS: url } })
  expect(await diagnoseGateways(settings)).toMatchObject([
    { outcome: 'failed', fix, message: expect.stringMatching(message) },
  ])
})

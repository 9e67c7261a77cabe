import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { VERSION } from '../../src/core/version.js'
import { KeptLog } from '../support/kept-log.js'
import { ManualClock } from '../support/manual-clock.js'
import { HOSTILE, noControl, sampleState, startTestServer } from './console-parts.js'

async function start(options: Parameters<typeof startTestServer>[0] = {}) {
  const started = await startTestServer(options)
  const get = (path: string, init: RequestInit = {}) => fetch(new URL(path, started.server.url), init)
  return { ...started, get }
}

/** A request with headers that fetch does not let one set. */
function raw(url: string, path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(new URL(path, url), { method, headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    request.on('error', reject)
    request.end()
  })
}

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`attestd:${password}`).toString('base64')}`,
})
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('probes and metrics', () => {
  it('is alive while it is not ready, and names the failed check', async () => {
    const { get } = await start({
      checks: {
        queue: () => ({ ok: true, message: 'The queue answers.' }),
        stake: () => ({ ok: false, reason: 'stake-low', message: '1 of 2 wei.' }),
      },
    })
    const [alive, ready] = [await get('/healthz'), await get('/readyz')]
    expect(alive.status).toBe(200)
    expect(await alive.json()).toEqual({ alive: true, version: VERSION, uptimeSeconds: 0 })
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      ready: false,
      checks: [
        { name: 'queue', ok: true },
        { name: 'stake', ok: false, reason: 'stake-low', fix: expect.stringContaining('Top up') },
      ],
    })
  })

  it('is ready when all checks pass', async () => {
    const { get } = await start({ checks: { queue: () => ({ ok: true, message: 'Fine.' }) } })
    expect((await get('/readyz')).status).toBe(200)
  })

  it('serves the metrics text', async () => {
    const answer = await (await start()).get('/metrics')
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    expect(await answer.text()).toContain('# TYPE attestd_jobs_total counter')
  })
})

describe('console and status', () => {
  it('escapes every external text', async () => {
    const page = await (await (await start()).get('/')).text()
    expect(page).not.toContain(HOSTILE)
    expect(page).not.toContain('<script>alert')
    expect(page).not.toContain('<img')
    expect(page).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;')
    expect(page.match(/<script/g)).toHaveLength(
      page.match(/<script src="\/console\/\w+\.js" (?:defer|type="module")><\/script>/g)!.length,
    )
  })

  it('allows only its own inline style and its own files', async () => {
    const answer = await (await start()).get('/')
    const policy = answer.headers.get('content-security-policy')!
    expect(policy).toMatch(
      /default-src 'none'; style-src 'self' 'sha256-[\w+/=]+'; script-src 'self'; connect-src 'self'/,
    )
    expect(policy).not.toContain('unsafe')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('shows a stake just below the minimum as below, and failed checks', async () => {
    const { get } = await start({
      checks: { stake: () => ({ ok: false, reason: 'stake-low', message: 'Too little.' }) },
    })
    const page = await (await get('/')).text()
    expect(page).toContain('1.999999 ether')
    expect(page).toContain('2 ether')
    expect(page).toContain('✗ stake')
    expect(page).toContain('>not ready<')
    expect(page).toContain('up 1 h 2 min')
    expect(page).toContain('<meter min="0" max="100" value="12.345" aria-label="risk"></meter>12.3<')
  })

  it('returns the state and readiness as JSON', async () => {
    const { get } = await start({ checks: { queue: () => ({ ok: true, message: 'Fine.' }) } })
    const status = await (await get('/status')).json()
    expect(status).toEqual({
      ...sampleState(),
      recent: sampleState().recent.map((row) => ({ ...row, risk: row.risk === null ? null : row.risk * 100 })),
      readiness: { ready: true, checks: [{ name: 'queue', ok: true, message: 'Fine.' }] },
    })
  })

  it.each(['/', '/status', '/readyz', '/control/failed'])('leaks no known secret through %s', async (path) => {
    const secret = 'known-secret-value'
    const state = () => ({ ...sampleState(), service: `https://u:${secret}@host`, version: encodeURIComponent(secret) })
    const { get, controlToken } = await start({
      state,
      checks: { odd: () => Promise.reject(new Error(`redis://:${secret}@host broke`)) },
      control: { ...noControl, failed: async () => [{ message: secret }] },
    })
    const text = await (await get(path, { headers: bearer(controlToken) })).text()
    expect(text).toContain('[redacted]')
    expect(text).not.toContain(secret)
  })

  it('answers with reason and no stack where the state cannot be read', async () => {
    const { get } = await start({
      state: () => Promise.reject(new AttestdError('queue-unreachable', 'No Redis at known-secret-value.')),
    })
    const answer = await get('/status')
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({
      error: {
        reason: 'queue-unreachable',
        message: 'No Redis at [redacted].',
        fix: expect.stringContaining('Start Redis'),
      },
    })
  })

  it('lists the pages where one is missing', async () => {
    const answer = await (await start()).get('/nope')
    expect(answer.status).toBe(404)
    expect(JSON.stringify(await answer.json())).toContain('/readyz')
  })
})

describe('access to pages', () => {
  const PAGES = ['/', '/status', '/queues/', '/queues/api/queues', '/queues/static/favicon.ico']
  const PROBES = ['/healthz', '/metrics']

  it('is open on loopback without a password', async () => {
    const { get } = await start()
    for (const path of [...PAGES, ...PROBES]) expect([path, (await get(path)).status]).toEqual([path, 200])
  })

  it('needs the password for every page, and for no probe', async () => {
    const { get, controlToken } = await start({ password: 'correct horse' })
    for (const path of PAGES) {
      const refused = await get(path)
      expect([path, refused.status]).toEqual([path, 401])
      expect(refused.headers.get('www-authenticate')).toContain('Basic realm="attestd"')
      expect((await get(path, { headers: basic('wrong') })).status).toBe(401)
      expect((await get(path, { headers: basic('correct horse') })).status).toBe(200)
      expect((await get(path, { headers: bearer(controlToken) })).status).toBe(200)
      expect((await get(path, { headers: bearer(`${controlToken}x`) })).status).toBe(401)
    }
    for (const path of PROBES) expect((await get(path)).status).toBe(200)
  })

  it('is blocked for a while after some wrong passwords from an address, and logged', async () => {
    const clock = new ManualClock()
    const log = new KeptLog()
    const { get } = await start({ password: 'correct horse', clock, log })
    const status = async (password: string) => (await get('/status', { headers: basic(password) })).status
    for (let nth = 0; nth < 10; nth++) expect(await status(`wrong ${nth}`)).toBe(401)
    const refused = await get('/status', { headers: basic('correct horse') })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect((await get('/healthz')).status).toBe(200)
    expect(log.lines).toMatchObject([{ level: 'warn', reason: 'console-password-wrong', subject: '127.0.0.1' }])
    await clock.advance(10_000)
    expect([await status('wrong again'), await status('correct horse')]).toEqual([401, 429])
    await clock.advance(10_000)
    expect(await status('correct horse')).toBe(200)
  })

  it('is limited to probes for other machines without a password, and states how to change that', async () => {
    const { get, controlToken } = await start({ host: '0.0.0.0' })
    for (const path of PAGES) {
      const refused = await get(path)
      expect([path, refused.status]).toEqual([path, 403])
      expect(await refused.text()).toContain('ATTESTD_HTTP_PASSWORD')
    }
    for (const path of PROBES) expect((await get(path)).status).toBe(200)
    expect((await get('/status', { headers: bearer(controlToken) })).status).toBe(200)
  })

  it.each([
    ['LocalHost:1234', 200],
    ['evil.example', 421],
  ])('on loopback answers a Host header %s with %i', async (host, status) => {
    const { server } = await start()
    expect(await raw(server.url, '/healthz', { host })).toBe(status)
  })

  it('allows any Host header where other machines may connect', async () => {
    const { server } = await start({ host: '0.0.0.0' })
    expect(await raw(server.url, '/healthz', { host: 'attestd.cluster.example' })).toBe(200)
  })

  it.each([
    [{ origin: 'https://evil.example' }, 403],
    [{}, 200],
  ])('answers a write with %o with %i', async (headers, status) => {
    const { server, controlToken } = await start()
    const all = { host: new URL(server.url).host, ...bearer(controlToken), ...headers }
    expect(await raw(server.url, '/control/drain', all as Record<string, string>, 'POST')).toBe(status)
  })
})

it('control routes need the token of this run', async () => {
  const { get, asked } = await start({ password: 'correct horse' })
  for (const headers of [{}, bearer('x'.repeat(43)), basic('correct horse')]) {
    expect((await get('/control/failed', { headers })).status).toBe(401)
    expect((await get('/control/retry', { method: 'POST', headers })).status).toBe(401)
    expect((await get('/control/drain', { method: 'POST', headers })).status).toBe(401)
  }
  expect(asked).toEqual([])
})

describe('binding', () => {
  it('reports a port in use', async () => {
    const { server } = await start()
    await expect(startTestServer({ port: server.port })).rejects.toMatchObject({
      reason: 'port-in-use',
      message: `Port ${server.port} of 127.0.0.1 is taken by another process.`,
    })
  })

  it('closes at once although a client keeps its connection', async () => {
    const { server } = await start()
    const agent = new http.Agent({ keepAlive: true })
    await new Promise<void>((resolve) =>
      http.get(`${server.url}/healthz`, { agent }, (r) => r.resume().on('end', resolve)),
    )
    await server.close()
    agent.destroy()
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })
})

// What else of a request may be missing: see core/net/bounded-server.
it('drops callers that send half of a body, also one without a waiting handler', async () => {
  const { server, get } = await start({ limits: { requestTimeoutMs: 200, maxConnections: 4, idleMs: 60_000 } })
  const callers = ['/control/retry', '/nowhere', '/control/retry', '/nowhere'].map((path) => {
    const caller = net.connect(server.port, '127.0.0.1').on('error', () => {})
    const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 10`
    caller.resume().write(`${head}\r\n\r\n{`)
    return caller
  })
  await Promise.all(callers.map((caller) => once(caller, 'close')))
  expect((await get('/healthz')).status).toBe(200)
})

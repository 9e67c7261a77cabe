import net from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type HttpCall, HttpCaller, type RequestEvent } from '../../src/service/http.js'
import { failure } from '../support/failure.js'
import { deadUrl, listen, portOf } from '../support/local-server.js'
import { ManualClock } from '../support/manual-clock.js'
import { type Handler, LocalServer, sendJson } from './local-service.js'

const shape = z.looseObject({ value: z.number() })
function caller() {
  const clock = new ManualClock()
  const events: RequestEvent[] = []
  const http = new HttpCaller({
    clock,
    userAgent: 'test/1',
    timeoutMs: 5_000,
    onRequest: (event) => events.push(event),
  })
  onTestFinished(() => http.close())
  return { clock, http, events }
}

async function serve(handler: Handler): Promise<LocalServer> {
  const server = await LocalServer.start(handler)
  onTestFinished(() => server.stop())
  return server
}

function callTo(url: string, changes = true): HttpCall {
  const base = { url: new URL('/thing', url), route: changes ? 'POST /thing' : 'GET /thing', changes }
  return changes ? { ...base, method: 'POST', body: '{"a":1}' } : { ...base, method: 'GET' }
}

describe('answers', () => {
  it('of the stated shape are returned with unknown fields, and the exact body text is sent', async () => {
    const server = await serve((_, response) => sendJson(response, 201, { value: 1, more: 'x' }))
    const { http, events } = caller()
    expect(await http.json(callTo(server.url), shape)).toEqual({ value: 1, more: 'x' })
    expect(server.seen[0]).toMatchObject({ method: 'POST', target: '/thing', body: '{"a":1}' })
    expect(server.seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'test/1' })
    expect(events).toEqual([{ route: 'POST /thing', status: 201, reason: null, elapsedMs: 0 }])
  })

  it('with compression are read, and the limit applies to the decompressed size', async () => {
    let padding = 1_000_000
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(gzipSync(JSON.stringify({ value: 7, padding: ' '.repeat(padding) })))
    })
    expect(await caller().http.json(callTo(server.url, false), shape)).toMatchObject({ value: 7 })
    padding = 16 * 1024 * 1024
    const error = await failure(caller().http.json(callTo(server.url, false), shape))
    expect(error).toMatchObject({ reason: 'service-reply-invalid', ambiguous: false })
  })

  const statuses: [number, string, boolean][] = [
    [301, 'service-redirected', false],
    [307, 'service-redirected', false],
    [400, 'service-refused', false],
    [401, 'service-unauthorized', false],
    [403, 'service-forbidden', false],
    [404, 'service-refused', false],
    [408, 'service-timeout', true],
    [409, 'score-conflict', false],
    [413, 'service-refused', false],
    [422, 'service-refused', false],
    [425, 'service-rate-limited', false],
    [429, 'service-rate-limited', false],
    [500, 'service-failing', true],
    [502, 'service-failing', true],
    [503, 'service-failing', true],
    [599, 'service-failing', true],
  ]
  it.each(statuses)('%d is %s, ambiguous when it changes something: %s', async (status, reason, ambiguous) => {
    const elsewhere = await serve((_, response) => sendJson(response, 200, { value: 1 }))
    const server = await serve((_, response) =>
      sendJson(
        response,
        status,
        { error: 'be\u0000cause' },
        { location: `${elsewhere.url}/thing`, 'retry-after': '3' },
      ),
    )
    const { http, events } = caller()
    const error = await failure(http.json(callTo(server.url), shape))
    expect(error).toMatchObject({ reason, ambiguous, retryAfterMs: 3_000, facts: { status, route: 'POST /thing' } })
    const to = reason === 'service-redirected' ? ` to ${elsewhere.url}` : ''
    expect(error.message).toBe(`POST /thing was answered with ${status}${to}: be\uFFFDcause`)
    expect(events).toMatchObject([{ status, reason }])
    expect(elsewhere.seen).toHaveLength(0)
    expect(await failure(http.json(callTo(server.url, false), shape))).toMatchObject({ reason, ambiguous: false })
  })

  const unusable: [string, Handler][] = [
    ['HTML', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['no JSON', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"value"')],
    ['a wrong shape', (_, response) => sendJson(response, 200, { value: 'one' })],
    ['a wrong kind', (_, response) => sendJson(response, 200, [1])],
    ['nothing', (_, response) => void response.writeHead(204).end()],
  ]
  it.each(unusable)('with %s are rejected, and leave open whether the request took effect', async (_, handler) => {
    const server = await serve(handler)
    const { http } = caller()
    expect(await failure(http.json(callTo(server.url), shape))).toMatchObject({
      reason: 'service-reply-invalid',
      ambiguous: true,
    })
    expect(await failure(http.json(callTo(server.url, false), shape))).toMatchObject({ ambiguous: false })
  })

  it.for([undefined, 'text/plain', 'text/json; charset=utf-8'])(
    'are read by their body where the type is %s',
    async (type) => {
      const server = await serve((_, response) => {
        response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end('{"value":1}')
      })
      expect(await caller().http.json(callTo(server.url), shape)).toEqual({ value: 1 })
    },
  )

  it('may have any body where it is not used', async () => {
    const server = await serve((_, response) => void response.writeHead(204).end())
    await caller().http.done(callTo(server.url))
    server.handler = (_, response) => sendJson(response, 500, {})
    expect(await failure(caller().http.done(callTo(server.url)))).toMatchObject({ reason: 'service-failing' })
  })

  it('that repeat a secret are masked', async () => {
    const server = await serve((request, response) =>
      sendJson(response, 400, { message: request.headers.authorization }),
    )
    const call = { ...callTo(server.url), headers: { authorization: 'Bearer t0ken' }, secrets: ['t0ken'] }
    const error = await failure(caller().http.done(call))
    expect(error.message).toContain('Bearer [redacted]')
  })

  it.each([
    ['a slash', 't0/ken+x', (text: string) => text.replaceAll('/', '\\/')],
    [
      'characters by their number',
      't0ken<x',
      (text: string) => text.replaceAll('<', '\\u003c').replace('t', '\\u0074'),
    ],
    ['a quote and a backslash', 't0"k\\en', (text: string) => JSON.stringify(text).slice(1, -1)],
  ])('never repeat a secret of the request, however JSON writes it: %s', async (_, token, written) => {
    const server = await serve((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(`{"error":"${'x'.repeat(290)} ${written(token)} is wrong"}`)
    })
    const call = { ...callTo(server.url), secrets: [token] }
    const error = await failure(caller().http.done(call))
    expect(error.message).not.toContain(token)
    // Nor the first half of it, where the message is cut.
    expect(error.message).not.toContain(token.slice(0, 4))
    expect(error.message).toContain('xxx [redact')
  })

  it('of an error are not read beyond 64 KiB: a longer body has no text of the API', async () => {
    let padding = 60_000
    const server = await serve((_, response) => sendJson(response, 500, { error: 'no', padding: '['.repeat(padding) }))
    const stated = await failure(caller().http.json(callTo(server.url, false), shape))
    expect(stated).toMatchObject({ message: 'GET /thing was answered with 500: no', facts: { status: 500 } })
    padding = 70_000
    const unstated = await failure(caller().http.json(callTo(server.url, false), shape))
    expect(unstated).toMatchObject({ reason: 'service-failing', facts: { status: 500, withoutErrorBody: true } })
  })

  it('never repeat a secret from their content type', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/t0ken' })
      response.end('no JSON')
    })
    const error = await failure(caller().http.json({ ...callTo(server.url), secrets: ['t0ken'] }, shape))
    expect(error.message).toContain('text/[redacted]')
  })

  it('never repeat a secret from where they redirect', async () => {
    const server = await serve(
      (_, response) => void response.writeHead(302, { location: 'https://t0ken.example' }).end(),
    )
    const error = await failure(caller().http.json({ ...callTo(server.url), secrets: ['t0ken'] }, shape))
    expect(error).toMatchObject({ reason: 'service-redirected' })
    expect(error.message).not.toContain('t0ken')
  })

  it('with a Retry-After date count it from their own Date, not from the local clock', async () => {
    const server = await serve((_, response) =>
      sendJson(
        response,
        503,
        {},
        {
          date: 'Tue, 01 Jan 2030 00:00:00 GMT',
          'retry-after': 'Tue, 01 Jan 2030 00:00:20 GMT',
        },
      ),
    )
    expect(await failure(caller().http.done(callTo(server.url)))).toMatchObject({ retryAfterMs: 20_000 })
  })
})

describe('no answer', () => {
  it('because nobody listens: not ambiguous', async () => {
    const { http, events } = caller()
    const error = await failure(http.json(callTo(await deadUrl()), shape))
    expect(error).toMatchObject({ reason: 'service-unreachable', ambiguous: false })
    expect(error.message).toContain('ECONNREFUSED')
    expect(events).toMatchObject([{ status: null, reason: 'service-unreachable' }])
  })

  it('because the name is unknown: not ambiguous', async () => {
    const error = await failure(caller().http.json(callTo('http://nowhere.invalid'), shape))
    expect(error).toMatchObject({ reason: 'service-unreachable', ambiguous: false })
  })

  it('because TLS fails: not ambiguous', async () => {
    const server = await serve((_, response) => sendJson(response, 200, { value: 1 }))
    const error = await failure(caller().http.json(callTo(server.url.replace('http:', 'https:')), shape))
    expect(error).toMatchObject({ reason: 'service-unreachable', ambiguous: false })
    expect(server.seen).toHaveLength(0)
  })

  it('because the connection is reset after the request: ambiguous', async () => {
    const server = await serve((_, response) => void response.destroy())
    const error = await failure(caller().http.json(callTo(server.url), shape))
    expect(error).toMatchObject({ reason: 'service-connection-lost', ambiguous: true })
    const asked = await failure(caller().http.json(callTo(server.url, false), shape))
    expect(asked).toMatchObject({ reason: 'service-connection-lost', ambiguous: false })
  })

  it('because the answer is cut short: ambiguous', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{"value":')
      setImmediate(() => response.destroy())
    })
    const error = await failure(caller().http.json(callTo(server.url), shape))
    expect(error).toMatchObject({ reason: 'service-connection-lost', ambiguous: true })
  })

  it.each(['headers', 'body'])('in time, delayed before the %s: ambiguous', async (stage) => {
    const server = await serve((_, response) => {
      if (stage === 'body') response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    })
    const { clock, http } = caller()
    const pending = failure(http.json(callTo(server.url), shape))
    await arrived(server)
    await clock.advance(5_000)
    expect(await pending).toMatchObject({ reason: 'service-timeout', ambiguous: true })
    expect(clock.sleeping).toBe(0)
  })

  it('in time, because no connection was established: not ambiguous', async () => {
    // A TLS handshake with a socket that accepts and says nothing.
    const silent = await listen(net.createServer())
    const sockets: net.Socket[] = []
    const connected = new Promise<void>((resolve) =>
      silent.on('connection', (socket) => resolve(void sockets.push(socket))),
    )
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const { clock, http } = caller()
    const pending = failure(http.json(callTo(`https://127.0.0.1:${portOf(silent)}`), shape))
    await connected
    await clock.advance(5_000)
    // Not the error of undici, which waits ten seconds for a connection whatever the limit is.
    expect(await pending).toMatchObject({
      reason: 'service-unreachable',
      ambiguous: false,
      cause: { name: 'TimeoutError' },
    })
  })

  it('because the caller canceled it: its own reason, unless it may have taken effect', async () => {
    const server = await serve(() => {})
    const { http } = caller()
    const stop = new AbortController()
    const reason = new Error('stopping')
    const question = failure(http.json(callTo(server.url, false), shape, stop.signal))
    const change = failure(http.json(callTo(server.url), shape, stop.signal))
    await arrived(server, 2)
    stop.abort(reason)
    expect(await question).toBe(reason)
    expect(await change).toMatchObject({ reason: 'service-connection-lost', ambiguous: true })
    expect(await failure(http.json(callTo(server.url), shape, stop.signal))).toBe(reason)
    expect(server.seen).toHaveLength(2)
  })
})

async function arrived(server: LocalServer, count = 1): Promise<void> {
  while (server.seen.length < count) await new Promise((resolve) => setTimeout(resolve, 2))
}

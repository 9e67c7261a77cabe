import http from 'node:http'
import { Agent } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bodyChunks, type GetOptions, get, HttpStatusError } from '../../../src/media/web/http-get.js'
import { endServer, listen, urlOf } from '../../support/local-server.js'
import { ManualClock } from '../../support/manual-clock.js'
import { withReason } from '../../support/with-reason.js'

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void

let server: http.Server
let origin: URL
let answer: Answer
let asked: { url: string; headers: http.IncomingHttpHeaders }[]
let dispatcher: Agent

beforeEach(async () => {
  asked = []
  answer = (_, response) => response.end('ok')
  server = http.createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers })
    answer(request, response)
  })
  origin = new URL(urlOf(await listen(server)))
  dispatcher = new Agent()
})
afterEach(async () => {
  await dispatcher.destroy()
  await endServer(server)
})

const options = (more: Partial<GetOptions> = {}): GetOptions => ({
  headers: {},
  maxRedirects: 3,
  idleMs: 10_000,
  signal: new AbortController().signal,
  route: () => ({ dispatcher }),
  clock: new ManualClock(),
  ...more,
})
const ask = (path = '/', more: Partial<GetOptions> = {}) => get(new URL(path, origin), options(more))
async function textOf(path: string, more: Partial<GetOptions> = {}): Promise<string> {
  const given = options(more)
  const chunks: Uint8Array[] = []
  for await (const chunk of bodyChunks(await get(new URL(path, origin), given), given.signal)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('a GET', () => {
  it('requests plain bytes, with the headers of the caller and of the hop', async () => {
    const route = () => ({ dispatcher, headers: { authorization: 'Basic x' } })
    expect(await textOf('/a?b=1', { headers: { accept: 'x/y' }, route })).toBe('ok')
    expect(asked[0]).toMatchObject({
      url: '/a?b=1',
      headers: { 'accept-encoding': 'identity', accept: 'x/y', authorization: 'Basic x', 'user-agent': 'attestd' },
    })
  })

  it('returns type, length and URL of the answer', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'image/png', 'content-length': '2' }).end('ok')
    const reply = await ask('/pic')
    expect([reply.contentType, reply.contentLength, reply.url.pathname]).toEqual(['image/png', 2, '/pic'])
    reply.body.destroy()
    answer = (_, response) => {
      response.write('a')
      response.end()
    }
    const chunked = await ask()
    expect([chunked.contentType, chunked.contentLength]).toEqual(['', undefined])
    chunked.body.destroy()
  })

  it.each([201, 204, 206, 304, 400, 404, 410, 500])('rejects an answer with status %i', async (status) => {
    answer = (_, response) => response.writeHead(status).end()
    const error = await ask().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HttpStatusError)
    expect(error).toMatchObject({ reason: 'media-unreachable', status, facts: { host: origin.host, status } })
  })

  it.each([
    ['7', 7000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ])('passes on a Retry-After of %s', async (value, ms) => {
    answer = (_, response) => response.writeHead(503, { 'retry-after': value }).end()
    await expect(ask()).rejects.toMatchObject({ status: 503, retryAfterMs: ms })
  })

  it.each(['gzip', 'br', 'whatever'])('rejects bytes in the encoding %s, which was not requested', async (encoding) => {
    answer = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('x')
    await expect(ask()).rejects.toThrow(withReason('media-unreachable', encoding))
    answer = (_, response) => response.writeHead(200, { 'content-encoding': 'identity' }).end('x')
    expect(await textOf('/')).toBe('x')
  })
})

describe('redirects', () => {
  const leading = (status: number, to: (hop: number) => string): Answer => {
    return (request, response) => {
      const hop = Number(new URL(request.url ?? '', origin).searchParams.get('hop') ?? 0)
      const location = to(hop)
      if (location === '') response.end(`at hop ${hop}`)
      else response.writeHead(status, { location }).end('moved')
    }
  }

  it.each([301, 302, 303, 307, 308])('of %i are followed, also to a relative URL', async (status) => {
    answer = leading(status, (hop) => (hop === 0 ? '?hop=1' : hop === 1 ? `${origin.href}x?hop=2` : ''))
    expect(await textOf('/dir/file')).toBe('at hop 2')
    expect(asked.map(({ url }) => url)).toEqual(['/dir/file', '/dir/file?hop=1', '/x?hop=2'])
  })

  it('are followed up to the limit', async () => {
    answer = leading(302, (hop) => (hop < 3 ? `?hop=${hop + 1}` : ''))
    expect(await textOf('/')).toBe('at hop 3')
    await expect(ask('/', { maxRedirects: 2 })).rejects.toThrow(withReason('media-redirects', /more than 2 times/))
    await expect(ask('/', { maxRedirects: 0 })).rejects.toMatchObject({ reason: 'media-redirects' })
  })

  it('are checked hop by hop, before the request', async () => {
    answer = leading(302, (hop) => (hop === 0 ? '/secret?hop=1' : ''))
    const seen: string[] = []
    const route = (url: URL) => {
      seen.push(url.pathname)
      if (url.pathname === '/secret') throw new Error('not there')
      return { dispatcher }
    }
    await expect(ask('/', { route })).rejects.toThrow('not there')
    expect([seen, asked.map(({ url }) => url)]).toEqual([['/', '/secret'], ['/']])
  })

  it('carry the credentials of one hop to no other', async () => {
    answer = leading(302, (hop) => (hop === 0 ? '/next?hop=1' : ''))
    const route = (url: URL) => ({ dispatcher, ...(url.pathname === '/' ? { headers: { authorization: 'x' } } : {}) })
    await textOf('/', { route })
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['x', undefined])
  })

  it('to an invalid URL are refused, and without a target are an answer like any other', async () => {
    answer = leading(302, () => 'http://[')
    await expect(ask()).rejects.toThrow(withReason('media-redirects', /redirected to no URL/))
    answer = (_, response) => response.writeHead(302).end()
    await expect(ask()).rejects.toMatchObject({ status: 302 })
  })
})

describe('a connection that fails', () => {
  it('is media-unreachable, whether before the answer or in the middle of it', async () => {
    answer = (request) => request.socket.destroy()
    await expect(ask()).rejects.toMatchObject({ reason: 'media-unreachable', facts: { host: origin.host } })
    answer = (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy())
    }
    await expect(textOf('/')).rejects.toMatchObject({ reason: 'media-unreachable' })
  })

  it('is media-timeout where it becomes silent', async () => {
    answer = () => {}
    await expect(ask('/', { idleMs: 50 })).rejects.toMatchObject({ reason: 'media-timeout' })
    answer = (_, response) => void response.writeHead(200).write('half')
    await expect(textOf('/', { idleMs: 50 })).rejects.toMatchObject({ reason: 'media-timeout' })
  })

  it('ends with the reason of the caller, not with that of the connection', async () => {
    const leaving = new AbortController()
    answer = () => leaving.abort(new Error('enough'))
    await expect(ask('/', { signal: leaving.signal })).rejects.toThrow('enough')
    const later = new AbortController()
    answer = (_, response) => {
      response.writeHead(200).write('half')
      setImmediate(() => later.abort(new Error('enough of it')))
    }
    await expect(textOf('/', { signal: later.signal })).rejects.toThrow('enough of it')
  })

  it('drops the rest of a body that nobody reads', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (_, response) => {
        response.on('close', () => resolve())
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        }
        response.on('drain', more)
        more()
      }
    })
    const given = options()
    for await (const chunk of bodyChunks(await get(origin, given), given.signal)) if (chunk.length > 0) break
    await closed
  })
})

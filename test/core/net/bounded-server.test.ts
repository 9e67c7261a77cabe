import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import net from 'node:net'
import { expect, it, type TestContext } from 'vitest'
import { boundedServer, type ServerLimits } from '../../../src/core/net/bounded-server.js'
import { endServer, listen, portOf } from '../../support/local-server.js'

const LIMITS: ServerLimits = { requestTimeoutMs: 200, maxConnections: 3, idleMs: 60_000 }
const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

/** A server that answers when it has the whole request. */
async function start(onTestFinished: TestContext['onTestFinished'], limits = LIMITS): Promise<Server> {
  const server = boundedServer(limits)((request, response) => {
    request.resume().on('end', () => response.end('whole'))
  })
  onTestFinished(() => endServer(server))
  return listen(server)
}

/** Sends the text and stays. */
function connect(server: Server, text: string) {
  const socket = net.connect(portOf(server), '127.0.0.1')
  let got = ''
  socket.on('data', (chunk) => {
    got += chunk
  })
  socket.on('error', () => {})
  socket.write(text)
  const closed = once(socket, 'close').then(() => got)
  return { socket, closed, answered: () => Promise.race([once(socket, 'data').then(() => got), closed]) }
}

it.for([
  ['nothing', ''],
  ['half a request line', 'GET / HT'],
  ['half of the headers', 'GET / HTTP/1.1\r\nhost: a\r\nx-more'],
  ['half of a body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf'],
  ['half of a body in chunks', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nha'],
  ['half of a second request', `${GET}GET / HTTP/1.1\r\n`],
])('closes a connection that sent %s', async ([, text], { onTestFinished }) => {
  const answer = await connect(await start(onTestFinished), text!).closed
  expect(answer).toContain(' 408 ')
})

it('closes connections beyond the cap, and takes new ones when others have ended', async ({ onTestFinished }) => {
  const waiting: ServerResponse[] = []
  const server = boundedServer({ ...LIMITS, requestTimeoutMs: 60_000 })((_, response) => waiting.push(response))
  onTestFinished(() => endServer(server))
  await listen(server)
  const held = Array.from({ length: 3 }, () => connect(server, GET))
  await expect.poll(() => waiting.length).toBe(3)
  for (let at = 0; at < 20; at++) expect(await connect(server, GET).answered()).toBe('')
  waiting[0]!.end('whole')
  expect(await held[0]!.answered()).toContain('whole')
  connect(server, GET)
  await expect.poll(() => waiting.length).toBe(4)
})

it.for([
  ['is silent', ''],
  ['sent half a request line', 'GET / HT'],
  ['sent half of the headers', 'GET / HTTP/1.1\r\nhost: a\r\nx-more'],
  ['sent half of a body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf'],
  ['was answered', GET],
])('gives the place of the first connection that %s to a new one', async ([, text], { onTestFinished }) => {
  const server = await start(onTestFinished, { ...LIMITS, requestTimeoutMs: 60_000 })
  const sockets: net.Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  const held = Array.from({ length: 3 }, () => connect(server, text!))
  await expect.poll(() => sockets.map(({ bytesRead }) => bytesRead)).toEqual(held.map(() => text!.length))
  if (text === GET) for (const { answered } of held) await answered()
  expect(await connect(server, GET).answered()).toContain('whole')
  await held[0]!.closed
})

it('closes a connection whose answer is not read', async ({ onTestFinished }) => {
  const server = boundedServer({ ...LIMITS, idleMs: 200 })((_, response) =>
    response.end(Buffer.alloc(64 * 1024 * 1024)),
  )
  onTestFinished(() => endServer(server))
  await listen(server)
  const socket = net.connect(portOf(server), '127.0.0.1')
  socket.on('error', () => {})
  const [accepted] = (await once(server, 'connection')) as [net.Socket]
  socket.write(GET)
  await once(accepted, 'close')
  socket.destroy()
})

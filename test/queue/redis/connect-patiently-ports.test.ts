import net from 'node:net'
import tls from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { checkPorts } from '../../../src/queue/redis/connect-patiently.js'
import type { RedisTarget } from '../../../src/queue/redis/redis-access.js'
import { selfSigned } from '../../media/support/self-signed.js'
import { ManualClock } from '../../support/manual-clock.js'
import { withReason } from '../../support/with-reason.js'

const HOST = 'localhost'
const own = selfSigned(HOST)
const other = selfSigned('redis.example')

const servers: net.Server[] = []
const sockets = new Set<net.Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})

async function listening(server: net.Server): Promise<number> {
  servers.push(server)
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  return (server.address() as net.AddressInfo).port
}
const answering = (text: string) => (socket: net.Socket) => {
  socket.on('error', () => {}).on('data', () => socket.write(text))
}
const plain = (text = '+PONG\r\n') => listening(net.createServer(answering(text)))
const secure = (certificate = own, options: tls.TlsOptions = {}) => {
  const server = tls.createServer({ ...certificate, ...options }, answering('+PONG\r\n'))
  server.on('tlsClientError', () => {})
  return listening(server)
}

const target = (port: number, tlsOptions: RedisTarget['tlsOptions'], ...more: number[]): RedisTarget => ({
  shape: 'single',
  tls: tlsOptions !== null,
  nodes: [port, ...more].map((each) => ({ host: HOST, port: each })),
  username: undefined,
  password: 'hidden',
  sentinelPassword: undefined,
  primary: '',
  db: 0,
  shown: 'redis://shown',
  tlsOptions,
})
const check = (port: number, tlsOptions: RedisTarget['tlsOptions'] = null, ...more: number[]) =>
  checkPorts(target(port, tlsOptions, ...more), systemClock)

describe('a port that matches the URL', () => {
  it.each(['+PONG\r\n', '-NOAUTH Authentication required.\r\n'])('in clear, answering %j', async (answer) => {
    await expect(check(await plain(answer))).resolves.toBeUndefined()
  })

  it('by TLS, with a certificate of the configured authority', async () => {
    await expect(check(await secure(), { ca: own.cert })).resolves.toBeUndefined()
  })
})

describe('a port that does not match', () => {
  it('is reported to use TLS where the URL does not', async () => {
    const port = await secure()
    await expect(check(port)).rejects.toMatchObject({
      reason: 'queue-tls-mismatch',
      message: `Port ${port} of ${HOST} speaks TLS, but redis://shown does not.`,
    })
  })

  it('is reported not to where the URL does', async () => {
    await expect(check(await plain('-ERR unknown command\r\n'), { ca: own.cert })).rejects.toThrow(
      withReason('queue-tls-mismatch', 'does not speak TLS, but redis://shown requires it.'),
    )
  })

  it.each([
    ['of nobody that is trusted', own, {}],
    ['of another authority', own, { ca: other.cert }],
    ['for another name', other, { ca: other.cert }],
  ])('is refused with a certificate %s', async (_, certificate, options) => {
    await expect(check(await secure(certificate), options)).rejects.toMatchObject({
      reason: 'queue-certificate-refused',
    })
  })

  it('is refused where it requires a client certificate', async () => {
    const port = await secure(own, { requestCert: true, rejectUnauthorized: true, ca: own.cert })
    await expect(check(port, { ca: own.cert })).rejects.toThrow(
      withReason('queue-certificate-refused', 'asks for a certificate of ours'),
    )
    await expect(check(port, { ca: own.cert, ...own })).resolves.toBeUndefined()
    await expect(check(port)).rejects.toMatchObject({ reason: 'queue-tls-mismatch' })
  })

  it('is found among several others that match', async () => {
    const [good, bad] = [await plain(), await secure()]
    await expect(check(good, null, good, bad)).rejects.toMatchObject({
      message: expect.stringContaining(`Port ${bad}`),
    })
  })
})

describe('a port of a Redis in protected mode', () => {
  it('is refused with what to do, in clear and by TLS', async () => {
    const denied = (socket: net.Socket) => {
      socket.end('-DENIED Redis is running in protected mode because no password is set. Then much advice.\r\n')
    }
    for (const [server, tlsOptions] of [
      [net.createServer(denied), null],
      [tls.createServer(own, denied), { ca: own.cert }],
    ] as const) {
      await expect(check(await listening(server), tlsOptions)).rejects.toMatchObject({
        reason: 'queue-unauthorized',
        message: expect.stringMatching(/own machine.*: DENIED Redis is running in protected mode$/),
        fix: expect.stringContaining('requirepass'),
      })
    }
  })
})

describe('a port without a clear answer', () => {
  it('passes where nobody listens, because Redis may still start', async () => {
    const port = await plain()
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve))
    await expect(check(port)).resolves.toBeUndefined()
    await expect(check(port, { ca: own.cert })).resolves.toBeUndefined()
  })

  it('is refused where no Redis answers like that, and passes where nothing is sent', async () => {
    await expect(check(await plain('HTTP/1.1 400 Bad Request\r\n\r\n'))).rejects.toMatchObject({
      reason: 'queue-address-wrong',
    })
    await expect(check(await listening(net.createServer((socket) => socket.end())))).resolves.toBeUndefined()
  })

  it('passes where it stays silent, after its time limit', async () => {
    const silent = await listening(net.createServer(() => {}))
    const clock = new ManualClock()
    const checked = checkPorts(target(silent, null), clock)
    await clock.untilSleeping()
    await clock.advance(2000)
    await clock.untilSleeping()
    await clock.advance(2000)
    await expect(checked).resolves.toBeUndefined()
    expect(clock.sleeping).toBe(0)
  })
})

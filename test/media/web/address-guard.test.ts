import dgram from 'node:dgram'
import http from 'node:http'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { createAddressGuard, isPublicAddress, type ResolveAll } from '../../../src/media/web/address-guard.js'
import { endServer, listen, portOf } from '../../support/local-server.js'
import { withReason } from '../../support/with-reason.js'
import { failure, onEnd } from '../support/media-parts.js'

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
  ])('allows %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1.1.1.1',
    '2001:0:53aa:64c:0:fbff:fefe:1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:101:101::1',
    '3fff::1',
    '4000::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '100::1',
    'example.com',
    '',
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('a guarded URL', () => {
  const guard = createAddressGuard()
  it.each(['https://example.com/', 'https://example.com:443/', 'https://1.1.1.1/', 'https://[2606:4700::1]/'])(
    '%s is allowed',
    (url) => {
      expect(() => guard.check(new URL(url))).not.toThrow()
    },
  )

  it.each([
    ['https://127.0.0.1/', 'address-refused'],
    ['https://127.1/', 'address-refused'],
    ['https://0x7f000001/', 'address-refused'],
    ['https://2130706433/', 'address-refused'],
    ['https://017700000001/', 'address-refused'],
    ['https://0/', 'address-refused'],
    ['https://①②⑦.⓪.⓪.①/', 'address-refused'],
    ['https://[::1]/', 'address-refused'],
    ['https://[::ffff:127.0.0.1]/', 'address-refused'],
    ['https://[::ffff:7f00:1]/', 'address-refused'],
    ['https://[64:ff9b::10.0.0.1]/', 'address-refused'],
    ['https://169.254.169.254/latest/meta-data/', 'address-refused'],
    ['https://user@example.com/', 'address-refused'],
    ['https://:pass@example.com/', 'address-refused'],
    ['https://example.com:8443/', 'address-refused'],
    ['https://example.com:22/', 'address-refused'],
    ['http://example.com/', 'uri-unsupported'],
    ['ftp://example.com/', 'uri-unsupported'],
  ])('%s is refused', (url, reason) => {
    expect(() => guard.check(new URL(url))).toThrow(withReason(reason))
  })
})

describe('a guarded connection', () => {
  async function startServer() {
    let connections = 0
    const server = http.createServer((_, response) => response.end('secret'))
    server.on('connection', () => {
      connections += 1
    })
    await listen(server)
    onEnd(() => endServer(server))
    return { port: portOf(server), connections: () => connections }
  }

  const four = (address: string) => ({ address, family: 4 })
  const answers: [name: string, resolve: ResolveAll | undefined, host?: string][] = [
    ['a private address', async () => [four('127.0.0.1')]],
    ['a mix of public and private ones', async () => [four('1.1.1.1'), four('127.0.0.1')]],
    ['a mapped private address', async () => [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['nothing', async () => []],
    ['text that is no address', async () => [four('localhost')]],
    ['itself, a private address', undefined, '127.0.0.1'],
  ]
  it.each(answers)('is refused when the name resolves to %s', async (_, resolve, host = 'media.test') => {
    const server = await startServer()
    const guard = createAddressGuard(resolve && { resolve })
    onEnd(() => guard.dispatcher.destroy())
    const error = await failure(request(`http://${host}:${server.port}/`, { dispatcher: guard.dispatcher }))
    expect(error.reason).toBe('address-refused')
    expect(server.connections()).toBe(0)
  })

  /** A name server that answers 127.0.0.1 for the names with `answered` in them, and nothing for others. @returns with the other names */
  async function startNameServer() {
    const server = dgram.createSocket('udp4')
    const unanswered = new Set<string>()
    server.on('message', (query, { address, port }) => {
      const name = query.subarray(13, query.indexOf(0, 12)).toString('latin1')
      if (!name.startsWith('answered')) return unanswered.add(name)
      const header = Buffer.from(query.subarray(0, 12))
      const isFour = query[query.indexOf(0, 12) + 2] === 1
      header.writeUInt16BE(0x8180, 2)
      header.writeUInt16BE(isFour ? 1 : 0, 6)
      header.fill(0, 8)
      const question = query.subarray(12, query.indexOf(0, 12) + 5)
      const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1])
      server.send(Buffer.concat([header, question, ...(isFour ? [answer] : [])]), port, address)
    })
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
    onEnd(() => new Promise((resolve) => server.close(() => resolve(undefined))))
    return { address: `127.0.0.1:${server.address().port}`, unanswered }
  }

  it('waits for names that nobody answers for without a thread: all of them are asked for, and others are still found', async () => {
    const [server, names] = await Promise.all([startServer(), startNameServer()])
    const guard = createAddressGuard({ nameServers: [names.address], isAllowed: (address) => address === '127.0.0.1' })
    onEnd(() => guard.dispatcher.destroy())
    // More than the threads that Node has.
    const hosts = Array.from({ length: 8 }, (_, n) => `unanswered-${n}`)
    for (const host of hosts)
      request(`http://${host}.test:${server.port}/`, { dispatcher: guard.dispatcher }).catch(() => {})
    await expect.poll(() => names.unanswered.size).toBe(hosts.length)
    const reply = await request(`http://answered.test:${server.port}/`, { dispatcher: guard.dispatcher })
    expect(await reply.body.text()).toBe('secret')
  })

  /** Resolves to an allowed address at first, and to a refused one whenever it is asked again. */
  function rebindingGuard() {
    let asked = 0
    const resolve: ResolveAll = async () => {
      asked += 1
      return [four(asked === 1 ? '127.0.0.1' : '127.0.0.9')]
    }
    const guard = createAddressGuard({ resolve, isAllowed: (address) => address === '127.0.0.1' })
    onEnd(() => guard.dispatcher.destroy())
    return { guard, asked: () => asked }
  }

  it('connects to the address that was checked, with one lookup (rebinding)', async () => {
    const server = await startServer()
    const { guard, asked } = rebindingGuard()
    const reply = await request(`http://media.test:${server.port}/`, { dispatcher: guard.dispatcher })
    expect(await reply.body.text()).toBe('secret')
    expect(asked()).toBe(1)
  })

  it('is refused when a later answer is private', async () => {
    const server = await startServer()
    const { guard } = rebindingGuard()
    const once = { dispatcher: guard.dispatcher, reset: true }
    await (await request(`http://media.test:${server.port}/`, once)).body.dump()
    expect((await failure(request(`http://media.test:${server.port}/`, once))).reason).toBe('address-refused')
    expect(server.connections()).toBe(1)
  })
})

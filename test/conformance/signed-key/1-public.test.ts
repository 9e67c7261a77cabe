import type http from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { loadSettings } from '../../../src/config/load.js'
import { rulesOf } from '../../support/conformance.js'
import { send } from '../../support/sandbox-requests.js'
import { answering } from '../../support/wire-recorder.js'
import { MEDIA, signedKeyWorld } from './world.js'

const on = rulesOf('signed-key')
const onEvery = on('every route')
const world = signedKeyWorld()
const get = (target: string, headers = {}) => send(world.sandbox.url, { method: 'GET', target, headers })
const JSON_TYPE = /^application\/json\b/
const NOT_CALLED = '– it asks for the time, which tests the connection too'
const PUBLIC = ['/api/v1/ping', '/api/v1/time', '/api/v1/health']

onEvery('Every v1 path begins with /api/v1.', 'What the service does', {
  sandbox: async () => {
    const { paths } = (await get('/openapi.json')).json
    const ofV1 = Object.entries<Record<string, { tags: string[] }>>(paths).filter(([, item]) =>
      Object.values(item).some(({ tags }) => tags.includes('attester') || tags.includes('submitter')),
    )
    expect(ofV1.length).toBeGreaterThan(3)
    for (const [path] of ofV1) expect((await get(path.replace('/api/v1', ''))).status).not.toBe(200)
  },
  client: async () => {
    const { client, service } = world.attester
    await Promise.all([client.time(), client.health(), service.listOpen({ includeMyScore: true })])
    await service.find('none')
    expect(world.wire.requests.every(({ target }) => target.startsWith('/api/v1/'))).toBe(true)
  },
})

onEvery('HTTPS is required in production for real credentials.', 'What the service does', {
  sandbox: '– its credentials are not real, and it listens on loopback',
  client: () => {
    const insecure = () => loadSettings({ env: { ATTESTD_SERVICE_URL: 'http://service.example' } })
    expect(insecure).toThrow('https://, since plain http is taken for this machine only')
  },
})

onEvery('Responses are JSON, except the event stream.', 'What the service does', {
  sandbox: async () => {
    for (const target of [...PUBLIC, MEDIA]) {
      expect((await get(target)).headers['content-type'], target).toMatch(JSON_TYPE)
    }
  },
  client: async () => {
    world.wire.stand = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
      return true
    }
    await expect(world.attester.client.time()).rejects.toMatchObject({ reason: 'service-reply-invalid' })
  },
})

onEvery('The edge may apply gzip or brotli compression.', 'What the service does', {
  sandbox: '– it has no edge, so it never compresses',
  client: async () => {
    for (const [encoding, compress] of [['gzip', gzipSync] as const, ['br', brotliCompressSync] as const]) {
      world.wire.stand = (_request, response: http.ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
        response.end(compress('{"serverTime":1234}'))
        return true
      }
      expect(await world.attester.client.time()).toBe(1234)
    }
  },
})

for (const path of PUBLIC) {
  const call = () => {
    const { client } = world.attester
    return path.endsWith('time') ? client.time() : client.health()
  }
  on(`GET ${path}` as 'GET /api/v1/ping')('Needs no credentials and no parameters.', 'Authentication 1', {
    sandbox: async () => {
      expect((await get(path)).status).toBe(200)
    },
    client: path.endsWith('ping')
      ? NOT_CALLED
      : async () => {
          await call()
          const { target, headers } = world.wire.last('GET', path)
          expect(target).toBe(path)
          expect(Object.keys(headers).filter((name) => /signature|access-key|authorization/.test(name))).toEqual([])
        },
  })
}

on('GET /api/v1/ping')('200 with an empty JSON object.', 'Endpoints', {
  sandbox: async () => {
    const { status, json } = await get('/api/v1/ping')
    expect([status, json]).toEqual([200, {}])
  },
  client: NOT_CALLED,
})

on('GET /api/v1/time')('200 with { serverTime }: the server Unix time in milliseconds, an integer.', 'Endpoints', {
  sandbox: async () => {
    world.sandbox.control.setClockOffset(3_600_000)
    const before = Date.now() + 3_600_000
    const { serverTime } = (await get('/api/v1/time')).json
    world.sandbox.control.setClockOffset(0)
    expect(Number.isInteger(serverTime)).toBe(true)
    expect(serverTime).toBeGreaterThanOrEqual(before)
    expect(serverTime).toBeLessThanOrEqual(Date.now() + 3_600_000)
  },
  client: async () => {
    for (const serverTime of ['1700000000000', 1.5, null]) {
      world.wire.stand = answering('/api/v1/time', 200, { serverTime })
      await expect(world.attester.client.time()).rejects.toMatchObject({ reason: 'service-reply-invalid' })
    }
    world.wire.stand = answering('/api/v1/time', 200, { serverTime: 1_700_000_000_000 })
    expect(await world.attester.client.time()).toBe(1_700_000_000_000)
  },
})

on('GET /api/v1/health')(
  '200 with ok (boolean), service (name), version (integer) and timestamp (ISO-8601 UTC).',
  'Resources, Health record',
  {
    sandbox: async () => {
      const { status, json } = await get('/api/v1/health')
      expect(status).toBe(200)
      expect(json).toEqual({
        ok: true,
        service: expect.any(String),
        version: expect.any(Number),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
      })
      expect(Number.isInteger(json.version)).toBe(true)
    },
    client: async () => {
      expect(await world.attester.client.health()).toMatchObject({ ok: true, version: 1 })
      const record = { ok: true, service: 's', version: 1, timestamp: '2026-01-01T00:00:00Z' }
      for (const wrong of [{ ok: 'yes' }, { service: 7 }, { version: 1.5 }, { timestamp: 'today' }]) {
        world.wire.stand = answering('/api/v1/health', 200, { ...record, ...wrong })
        await expect(world.attester.client.health()).rejects.toMatchObject({ reason: 'service-reply-invalid' })
      }
    },
  },
)

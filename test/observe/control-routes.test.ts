import { describe, expect, it } from 'vitest'
import { startTestServer } from './console-parts.js'

async function start() {
  const { server, asked, controlToken } = await startTestServer()
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${controlToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const reply = await fetch(`${server.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: reply.status, json: (await reply.json()) as { error?: { message: string } } }
  }
  return { asked, call }
}

describe("requests of an operator's verbs", () => {
  it.each([
    ['pause', { queue: 'submit' }, { paused: ['1'] }],
    ['resume', { queue: 'analyze' }, { paused: ['1'] }],
    ['drain', { queue: 'submit' }, { drained: 1 }],
    ['retry', { queue: 'analyze', ids: ['a', 'b'] }, { retried: 1 }],
    ['rollback', {}, { detectors: [1] }],
    ['reload', { detectors: 'a=canary:10,b' }, { detectors: [1] }],
  ])('%s reaches the handler of that name, and its answer is returned', async (verb, body, answer) => {
    const { asked, call } = await start()
    expect(await call('POST', `/control/${verb}`, body)).toEqual({ status: 200, json: answer })
    expect(asked).toEqual([[verb, body]])
  })

  it.each(['pause', 'resume', 'drain', 'retry', 'reload'])('%s without a body means all', async (verb) => {
    const { asked, call } = await start()
    expect((await call('POST', `/control/${verb}`)).status).toBe(200)
    expect(asked).toEqual([[verb, {}]])
  })

  it('list a hundred failed jobs where no number is given', async () => {
    const { asked, call } = await start()
    await call('GET', '/control/failed')
    await call('GET', '/control/failed?limit=1')
    await call('GET', '/control/failed?limit=1000')
    await call('GET', '/control/failed?queue=submit&limit=5')
    expect(asked).toEqual([
      ['failed', { limit: 100 }],
      ['failed', { limit: 1 }],
      ['failed', { limit: 1000 }],
      ['failed', { queue: 'submit', limit: 5 }],
    ])
    for (const query of ['limit=1001', 'limit=0', 'limit=x', 'queue=other'])
      expect((await call('GET', `/control/failed?${query}`)).status).toBe(400)
  })

  it.each([
    ['pause', { queue: 'other' }],
    ['resume', { queue: '' }],
    ['pause', { queue: 'submit', all: true }],
    ['drain', { queu: 'submit' }],
    ['drain', []],
    ['drain', '{"__proto__":{"queue":"submit"}}'],
    ['drain', '{'],
    ['retry', { queue: 'other' }],
    ['retry', { ids: 'all' }],
    ['retry', { ids: [''] }],
    ['retry', { ids: Array.from({ length: 1001 }, (_, nth) => `${nth}`) }],
    ['retry', { ids: ['x'.repeat(201)] }],
    ['reload', { detectors: `${'a,'.repeat(5001)}b` }],
    ['reload', { detectors: 'a,a' }],
    ['reload', { detectors: 'a=dark' }],
    ['reload', { detectors: 7 }],
  ])('%s is refused with %j, and nothing is done', async (verb, body) => {
    const { asked, call } = await start()
    const { status, json } = await call('POST', `/control/${verb}`, body)
    expect([status, asked]).toEqual([400, []])
    expect(json.error?.message).toEqual(expect.any(String))
  })

  it('may contain a thousand ids of two hundred characters', async () => {
    const { asked, call } = await start()
    const ids = Array.from({ length: 1000 }, (_, nth) => String(nth).padEnd(200, 'x'))
    expect((await call('POST', '/control/retry', { ids })).status).toBe(200)
    expect(asked).toEqual([['retry', { ids }]])
  })

  it('of more than 256 KiB are refused, whatever they contain', async () => {
    const { asked, call } = await start()
    expect((await call('POST', '/control/retry', { ids: ['x'.repeat(256 * 1024)] })).status).toBe(413)
    expect(asked).toEqual([])
  })
})

import { createHmac } from 'node:crypto'
import http from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import type { Alarm } from '../../../src/observe/alarms/alarm.js'
import { Webhook, type WebhookOptions } from '../../../src/observe/alarms/webhook.js'
import { KeptLog } from '../../support/kept-log.js'
import { endServer, listen, urlAnswering, urlOf } from '../../support/local-server.js'

/** The limit of one try, which stays as it is. */
const TRY_MS = 10_000
const KEY = 'T000-a-key-in-the-path'
const alarm: Alarm = {
  id: 'one',
  alarm: 'stake-low',
  state: 'firing',
  summary: 'Staked <0.5> ether & no more.',
  at: Date.UTC(2026, 0, 1),
  machine: 'm1',
}

interface Got {
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** A receiver that answers with these statuses, then with 200; and a webhook to it whose waits are a hundredth. */
async function bench(statuses: number[] = [], options: Partial<WebhookOptions> = {}) {
  const got: Got[] = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push({ headers: request.headers, body })
    response.writeHead(statuses.shift() ?? 200, { location: 'http://127.0.0.1:9/' }).end('no')
  })
  await listen(server)
  onTestFinished(() => endServer(server))
  const log = new KeptLog()
  const outcomes: string[] = []
  const webhook = new Webhook({
    url: `${urlOf(server)}/services/${KEY}`,
    secret: undefined,
    template: 'json',
    clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms === TRY_MS ? ms : ms / 100, signal) },
    random: () => 0,
    log,
    onOutcome: (outcome) => outcomes.push(outcome),
    ...options,
  })
  const ended = (count: number) => expect.poll(() => outcomes).toHaveLength(count)
  return { ended, got, log, outcomes, server, webhook }
}

describe('a message', () => {
  it('is JSON, signed over its time and body', async () => {
    const secret = 'a secret of sixteen'
    const { ended, got, webhook } = await bench([], { secret })
    webhook.send(alarm)
    await ended(1)
    const [{ body, headers }] = got as [Got]
    expect(JSON.parse(body)).toEqual({
      version: 1,
      id: 'one',
      alarm: 'stake-low',
      state: 'firing',
      severity: 'critical',
      summary: 'Staked <0.5> ether & no more.',
      machine: 'm1',
      at: '2026-01-01T00:00:00.000Z',
    })
    const signed = `${headers['x-attestd-timestamp']}.${body}`
    expect(headers['x-attestd-signature']).toBe(`sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`)
  })

  it('has the form of Slack, with its three characters escaped, and no signature without a secret', async () => {
    const { ended, got, webhook } = await bench([], { template: 'slack' })
    webhook.send(alarm)
    webhook.send({ ...alarm, state: 'resolved', summary: 'It is over.' })
    await ended(2)
    expect(got.map(({ body }) => JSON.parse(body))).toEqual([
      { text: ':rotating_light: *attestd on m1: stake-low firing*\nStaked &lt;0.5&gt; ether &amp; no more.' },
      { text: ':white_check_mark: *attestd on m1: stake-low resolved*\nIt is over.' },
    ])
    expect(got[0]?.headers['x-attestd-signature']).toBeUndefined()
  })
})

describe('a receiver of messages', () => {
  it('that fails gets the same message again until it accepts it', async () => {
    const { ended, got, outcomes, webhook } = await bench([500, 429, 302, 503])
    webhook.send(alarm)
    await ended(1)
    expect(outcomes).toEqual(['ok'])
    expect(new Set(got.map(({ body }) => body)).size).toBe(1)
    expect(got).toHaveLength(5)
  })

  it('that never accepts it is given up after eight attempts, counted and logged without the URL; the next message is sent', async () => {
    const { ended, got, log, outcomes, webhook } = await bench(Array.from({ length: 8 }, () => 404))
    webhook.send(alarm)
    webhook.send({ ...alarm, id: 'two' })
    await ended(2)
    expect([outcomes, got.length]).toEqual([['failed', 'ok'], 9])
    expect(log.text).toContain('"reason":"webhook-failed","detail":"The webhook answered with HTTP 404."')
    expect(log.text).not.toContain(KEY)
  })

  it('that is unreachable delays no other, and its address is not logged', async () => {
    const { ended, log, outcomes, server, webhook } = await bench()
    server.close()
    await new Promise((resolve) => setImmediate(resolve))
    webhook.send(alarm)
    await ended(1)
    expect(outcomes).toEqual(['failed'])
    expect(log.text).toContain('The webhook was not reached (ECONNREFUSED).')
    expect(log.text).not.toMatch(/services|127\.0\.0\.1/)
  })

  it('that hangs leaves at most fifty messages waiting; the oldest are dropped', async () => {
    const { outcomes, webhook } = await bench([], { url: await urlAnswering(() => {}) })
    for (let nth = 0; nth < 60; nth++) webhook.send({ ...alarm, id: String(nth) })
    expect(outcomes).toEqual(Array.from({ length: 9 }, () => 'dropped'))
    await webhook.flush(10)
  })
})

import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import type { MediaType } from '../../../src/core/media-types.js'
import { riskOfPercent } from '../../../src/core/risk.js'
import type { ReviewHandlers } from '../../../src/observe/review/review-port.js'
import { HOSTILE, NOW, startTestServer } from '../console-parts.js'

const PASSWORD = 'long-enough'
const ID = `asset-${'ab'.repeat(20)}`
const authorization = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`

function itemOf(mediaType: MediaType) {
  const risk = riskOfPercent(48.25)
  const row = {
    id: 'job',
    assetId: `asset ${HOSTILE}`,
    title: HOSTILE,
    mediaType,
    isUrgent: true,
    deadline: NOW + 60_000,
    risk,
  }
  const more = { algorithm: 'd@1.0.0', doubt: 'lies in the decision band', notes: HOSTILE, viewGap: null }
  return { ...row, ...more, parts: [{ name: HOSTILE, risk }], evidence: [{ kind: 'exif', text: HOSTILE }] }
}

/** Pages over handlers that note what they were asked. */
async function serve(mediaType: MediaType, change: Partial<ReviewHandlers> = {}) {
  const decided: unknown[] = []
  const review: ReviewHandlers = {
    now: () => NOW,
    list: async () => [itemOf(mediaType)],
    open: async () => itemOf(mediaType),
    view: async () => Buffer.from(HOSTILE),
    decide: async (id, decision) => void decided.push({ id, ...decision }),
    ...change,
  }
  const started = await startTestServer({ review, password: PASSWORD })
  const { url } = started.server
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { authorization, origin: url, ...(init.headers as Record<string, string>) },
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const send = (fields: Record<string, string>, headers = {}) =>
    ask(`/review/${ID}`, { method: 'POST', body: new URLSearchParams(fields), headers })
  return { ...started, ask, decided, send }
}

describe('the review pages', () => {
  it('escape external text, load nothing from elsewhere and run only their own script', async () => {
    const { ask } = await serve('text')
    for (const path of ['/review', `/review/${ID}`]) {
      const { headers, status, text } = await ask(path)
      expect(status).toBe(200)
      expect(text).not.toContain('<script>alert')
      expect(text).not.toContain('<img src=x')
      expect(headers.get('content-security-policy')).toContain("script-src 'self';")
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
    }
  })

  it.each<[MediaType, string]>([
    ['image', 'image/jpeg'],
    ['audio', 'audio/wav'],
    ['video_short', 'image/jpeg'],
    ['text', 'text/plain; charset=utf-8'],
  ])('serve %s with a safe content type', async (mediaType, type) => {
    const { ask } = await serve(mediaType)
    const { headers } = await ask(`/review/${ID}/media`)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('need the password, and are missing where none is set', async () => {
    const { ask } = await serve('image')
    expect((await ask('/review', { headers: { authorization: '' } })).status).toBe(401)
    const { server: open } = await startTestServer({ review: {} as ReviewHandlers })
    expect((await fetch(`${open.url}/review`)).status).toBe(404)
  })

  it('accept a decision with the name of the person, and record it', async () => {
    const { decided, recorded, send } = await serve('image')
    const { headers, status } = await send({ risk: '12.5', note: ' seen before ' })
    expect(status).toBe(303)
    expect(headers.get('location')).toMatch(/^\/review\?done=/)
    expect(decided).toEqual([{ id: ID, risk: 0.125, note: 'seen before', by: 'ada' }])
    expect(recorded).toMatchObject([{ who: 'ada', by: 'console', action: 'decide', result: 'done' }])
  })

  it('accept a risk with a comma, which a field for numbers would drop', async () => {
    const { ask, decided, send } = await serve('image')
    expect((await ask(`/review/${ID}`)).text).not.toContain('type="number"')
    expect((await send({ risk: '1,5', note: '' })).status).toBe(303)
    expect(decided).toMatchObject([{ risk: 0.015 }])
  })

  it.each([
    ['a risk above 100', { risk: '100.5', note: '' }],
    ['no number', { risk: 'x', note: '' }],
    ['a percentage with three decimals', { risk: '1.234', note: '' }],
    ['a note with control characters', { risk: '1', note: 'a\u0007b' }],
    ['a note that turns the direction of writing', { risk: '1', note: 'a\u202eb' }],
    ['a note that is too long', { risk: '1', note: 'a'.repeat(501) }],
    ['a field that the form does not have', { risk: '1', note: '', by: 'eve' }],
  ])('refuse %s, and show the form again', async (_, fields) => {
    const { decided, recorded, send } = await serve('image')
    const { status, text } = await send(fields)
    expect(status).toBe(400)
    expect(text).toContain('role="alert"')
    expect(text).toContain('<form method="post"')
    expect([...decided, ...recorded]).toEqual([])
  })

  it('refuse a form of another site', async () => {
    const { decided, send } = await serve('image')
    expect((await send({ risk: '1', note: '' }, { origin: 'https://evil.example' })).status).toBe(403)
    expect(decided).toEqual([])
  })

  it('state by name why a decision does not count', async () => {
    const decide = () => Promise.reject(new AttestdError('review-decided', 'bob decided 90.'))
    const { recorded, send } = await serve('image', { decide })
    const { status, text } = await send({ risk: '1', note: '' })
    expect(status).toBe(409)
    expect(text).toContain('bob decided 90. [review-decided]')
    expect(recorded).toMatchObject([{ who: 'ada', result: 'review-decided' }])
  })

  it('count the time left by service time, which deadlines use', async () => {
    const { ask } = await serve('image', { now: () => NOW + 50_000 })
    for (const path of ['/review', `/review/${ID}`]) expect((await ask(path)).text).toContain('10 s')
  })

  it('keep the form where a text cannot be fetched', async () => {
    const view = () => Promise.reject(new AttestdError('media-unreachable', 'No gateway has it.'))
    const { ask } = await serve('text', { view })
    const { text } = await ask(`/review/${ID}`)
    expect(text).toContain('No gateway has it.')
    expect(text).toContain('<form method="post"')
  })
})

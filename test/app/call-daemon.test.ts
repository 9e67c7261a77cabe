import type http from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callDaemon } from '../../src/app/running-daemon.js'
import { AttestdError } from '../../src/core/errors.js'
import { noControl, startTestServer } from '../observe/console-parts.js'
import { urlAnswering } from '../support/local-server.js'
import { withReason } from '../support/with-reason.js'

describe('callDaemon', () => {
  const answer = z.object({ retried: z.number() })

  it('asks with the token and reads the answer', async () => {
    const { server, asked, controlToken } = await startTestServer({ password: 'correct horse' })
    const daemon = { url: server.url, token: controlToken }
    const call = { method: 'POST', path: '/control/retry', body: { queue: 'submit' }, answer } as const
    expect(await callDaemon(daemon, call)).toEqual({ retried: 1 })
    expect(asked).toEqual([['retry', { queue: 'submit' }]])
    const status = await callDaemon(daemon, {
      method: 'GET',
      path: '/status',
      answer: z.looseObject({ pid: z.number() }),
    })
    expect(status.pid).toBe(4242)
  })

  it("gives the daemon's own reason, sentence and fix", async () => {
    const failed = () =>
      Promise.reject(new AttestdError('queue-unreachable', 'Redis is gone.', { fix: 'Start Redis.' }))
    const { server, controlToken } = await startTestServer({ control: { ...noControl, retry: failed } })
    const call = { method: 'POST', path: '/control/retry', body: {}, answer } as const
    const error = { reason: 'queue-unreachable', message: 'Redis is gone.', fix: 'Start Redis.' }
    await expect(callDaemon({ url: server.url, token: controlToken }, call)).rejects.toMatchObject(error)
    await expect(callDaemon({ url: server.url, token: 'old' }, call)).rejects.toMatchObject({
      message: expect.stringContaining('token of this run'),
    })
  })

  it('reports that no daemon answers there', async () => {
    const { server } = await startTestServer()
    await server.close()
    const call = { method: 'GET', path: '/status', answer } as const
    await expect(callDaemon({ url: server.url, token: 'x' }, call)).rejects.toThrow(
      withReason('daemon-not-running', server.url),
    )
  })
})

describe('callDaemon, where another program answers', () => {
  /** Asks a server that answers so. */
  async function asked(answer: http.RequestListener, timeoutMs = 10_000) {
    const url = await urlAnswering(answer)
    const call = { method: 'GET', path: '/status', answer: z.object({ pid: z.number() }), timeoutMs } as const
    return { outcome: callDaemon({ url, token: 'x' }, call).catch((error: unknown) => error), url }
  }

  it.each([
    [{ error: { reason: 'stake-low', message: 'Too little.' } }, 'stake-low', 'Too little.'],
    [{ error: { reason: 'no-such-reason', message: 'Odd.' } }, 'internal-error', 'Odd.'],
    [{ error: { message: 'No reason.' } }, 'internal-error', 'No reason.'],
    [{ oops: 1 }, 'daemon-not-running', expect.stringContaining('(status 500) is not this daemon')],
    ['<html>', 'daemon-not-running', expect.stringContaining('(status 500) is not this daemon')],
  ])('an error of %j is %s', async (body, reason, message) => {
    const { outcome } = await asked((_, response) => {
      response.writeHead(500).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    expect(await outcome).toMatchObject({ reason, message })
  })

  it('does not follow a redirect, which would carry the token along', async () => {
    const { outcome, url } = await asked((_, response) => response.writeHead(302, { location: '/elsewhere' }).end())
    expect(await outcome).toMatchObject({ reason: 'daemon-not-running', message: expect.stringContaining(url) })
  })

  it('refuses an answer of another shape', async () => {
    const { outcome } = await asked((_, response) => response.end('{"pid":"seven"}'))
    expect(await outcome).toMatchObject({
      reason: 'daemon-not-running',
      message: expect.stringContaining('(status 200) is not this daemon'),
      cause: expect.any(z.ZodError),
    })
  })

  it('gives up on a daemon that never answers, after its time limit', async () => {
    const { outcome } = await asked(() => {}, 50)
    expect(await outcome).toMatchObject({
      reason: 'daemon-not-running',
      message: expect.stringContaining('hangs'),
      fix: expect.stringContaining('end its process'),
    })
  })
})

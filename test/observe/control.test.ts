import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Clock, systemClock } from '../../src/core/clock.js'
import { AttestdError } from '../../src/core/errors.js'
import { callDaemon } from '../../src/observe/control-client.js'
import {
  newControlToken,
  readControlFile,
  removeControlFile,
  writeControlFile,
} from '../../src/observe/control-file.js'
import { ManualClock } from '../support/manual-clock.js'
import { startTestServer } from './console-parts.js'

describe('control.json', () => {
  let folder: string
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attestd-control-'))
  })
  afterEach(() => fs.rmSync(folder, { recursive: true }))
  const content = (token = newControlToken()) => ({ url: 'http://127.0.0.1:8780', token, pid: 42 })

  it('can be read by its owner only, and comes back as written', async () => {
    const written = content()
    await writeControlFile(folder, written)
    expect(fs.statSync(path.join(folder, 'control.json')).mode & 0o777).toBe(0o600)
    expect(await readControlFile(folder)).toEqual(written)
  })

  it.each(['', '{', '{}', '{"url":"x","token":"short","pid":0}'])('reads %j as none', async (text) => {
    expect(await readControlFile(folder)).toBeNull()
    fs.writeFileSync(path.join(folder, 'control.json'), text)
    expect(await readControlFile(folder)).toBeNull()
  })

  it('stays when a later run has replaced it', async () => {
    const [first, second] = [content(), content()]
    await writeControlFile(folder, first)
    await writeControlFile(folder, second)
    await removeControlFile(folder, first.token)
    expect(await readControlFile(folder)).toEqual(second)
    await removeControlFile(folder, second.token)
    expect(await readControlFile(folder)).toBeNull()
  })
})

describe('callDaemon', () => {
  const answer = z.object({ retried: z.number() })

  it('asks with the token and reads the answer', async () => {
    const { server, asked, controlToken } = await startTestServer({ password: 'correct horse' })
    const daemon = { url: server.url, token: controlToken }
    const call = { method: 'POST', path: '/control/retry', body: { queue: 'submit' }, answer } as const
    expect(await callDaemon(daemon, call, systemClock)).toEqual({ retried: 1 })
    expect(asked).toEqual([['retry', { queue: 'submit' }]])
    const status = await callDaemon(
      daemon,
      { method: 'GET', path: '/status', answer: z.looseObject({ pid: z.number() }) },
      systemClock,
    )
    expect(status.pid).toBe(4242)
    await server.close()
  })

  it('hands on which detectors to take, and refuses a list that is none', async () => {
    const { server, asked, controlToken } = await startTestServer()
    const daemon = { url: server.url, token: controlToken }
    const reload = (body: unknown) =>
      callDaemon(
        daemon,
        {
          method: 'POST',
          path: '/control/reload',
          body,
          answer: z.object({ detectors: z.array(z.number()) }),
        },
        systemClock,
      )
    expect(await reload({})).toEqual({ detectors: [1] })
    await reload({ detectors: 'a=2,b=shadow' })
    expect(asked).toEqual([
      ['reload', {}],
      ['reload', { detectors: 'a=2,b=shadow' }],
    ])
    await expect(reload({ detectors: 'a=dark' })).rejects.toMatchObject({ message: expect.stringMatching(/id=weight/) })
    await server.close()
  })

  it("gives the daemon's own reason, sentence and fix", async () => {
    const failed = () =>
      Promise.reject(new AttestdError('queue-unreachable', 'Redis is gone.', { fix: 'Start Redis.' }))
    const { server, controlToken } = await startTestServer({
      control: {
        failed,
        waiting: failed,
        retry: failed,
        drain: failed,
        pause: failed,
        resume: failed,
        reload: failed,
        rollback: failed,
      },
    })
    const call = { method: 'POST', path: '/control/retry', body: {}, answer } as const
    const error = { reason: 'queue-unreachable', message: 'Redis is gone.', fix: 'Start Redis.' }
    await expect(callDaemon({ url: server.url, token: controlToken }, call, systemClock)).rejects.toMatchObject(error)
    await expect(callDaemon({ url: server.url, token: 'old' }, call, systemClock)).rejects.toMatchObject({
      message: expect.stringContaining('token of this run'),
    })
    await server.close()
  })

  it('says when no daemon answers there', async () => {
    const { server } = await startTestServer()
    await server.close()
    const call = { method: 'GET', path: '/status', answer } as const
    await expect(callDaemon({ url: server.url, token: 'x' }, call, systemClock)).rejects.toMatchObject({
      reason: 'daemon-not-running',
      message: expect.stringContaining(server.url),
    })
  })
})

describe('callDaemon, where something else than a daemon answers', () => {
  const call = { method: 'GET', path: '/status', answer: z.object({ pid: z.number() }) } as const

  /** Asks a server that answers so. */
  async function asked(answer: http.RequestListener, clock: Clock = systemClock) {
    const server = http.createServer(answer)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const outcome = callDaemon({ url, token: 'x' }, call, clock).catch((error: unknown) => error)
    const end = () => {
      server.closeAllConnections()
      server.close()
    }
    return { outcome: outcome.finally(end), url }
  }

  it.each([
    [{ error: { reason: 'stake-low', message: 'Too little.' } }, 'stake-low', 'Too little.'],
    [{ error: { reason: 'no-such-reason', message: 'Odd.' } }, 'internal-error', 'Odd.'],
    [{ error: { message: 'No reason.' } }, 'internal-error', 'No reason.'],
    [{ oops: 1 }, 'internal-error', 'The daemon answered with 500.'],
    ['<html>', 'internal-error', 'The daemon answered with 500.'],
  ])('an error of %j is %s', async (body, reason, message) => {
    const { outcome } = await asked((_, response) => {
      response.writeHead(500).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    expect(await outcome).toMatchObject({ reason, message })
  })

  it('a redirect is not followed, since the token would go along', async () => {
    const { outcome, url } = await asked((_, response) => response.writeHead(302, { location: '/elsewhere' }).end())
    expect(await outcome).toMatchObject({ reason: 'daemon-not-running', message: expect.stringContaining(url) })
  })

  it('an answer of another shape is refused', async () => {
    const { outcome } = await asked((_, response) => response.end('{"pid":"seven"}'))
    expect(await outcome).toBeInstanceOf(z.ZodError)
  })

  it('one that says nothing is given up after its time', async () => {
    const clock = new ManualClock()
    const { outcome } = await asked(() => {}, clock)
    await clock.untilSleeping()
    await clock.advance(29_999)
    expect(clock.sleeping).toBe(1)
    await clock.advance(1)
    expect(await outcome).toMatchObject({ reason: 'daemon-not-running' })
  })
})

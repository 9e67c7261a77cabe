import fs from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runningDaemon } from '../../src/app/running-daemon.js'
import { openQueueControl } from '../../src/app/verbs/queue-control.js'
import { readStatus } from '../../src/app/verbs/status.js'
import { loadSettings } from '../../src/config/load.js'
import { newControlToken, writeControlFile } from '../../src/observe/control-file.js'
import { deadUrl, urlAnswering } from '../support/local-server.js'
import { folderForTest } from '../support/temporary-folder.js'

const token = newControlToken()

/** A data directory whose control file leads to a server that answers so. */
async function leadingTo(answer: RequestListener): Promise<string> {
  const dataDir = await folderForTest()
  await writeControlFile(dataDir, { url: await urlAnswering(answer), token, pid: 4242 })
  return dataDir
}

const answers =
  (status: number, body: unknown = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

describe('the daemon of a data directory', () => {
  it('knows its token', async () => {
    const seen: (string | undefined)[] = []
    const dataDir = await leadingTo((request, response) => {
      seen.push(request.headers.authorization)
      response.end('{}')
    })
    expect(await runningDaemon(dataDir)).toMatchObject({ pid: 4242, token })
    expect(seen).toEqual([`Bearer ${token}`])
  })

  it.each([
    ['another program, which knows no such page', 404, false],
    ['another daemon, which refuses the token', 401, false],
    ['a daemon whose queue is away', 503, true],
    ['a daemon with trouble of its own', 500, true],
  ] as const)('behind the port of %s runs: %i means %s', async (_, status, runs) => {
    expect((await runningDaemon(await leadingTo(answers(status)))) !== null).toBe(runs)
  })

  it('does not redirect: the token is sent to no other origin', async () => {
    const asked: (string | undefined)[] = []
    const elsewhere = await leadingTo(({ headers }, response) => {
      asked.push(headers.authorization)
      response.end('{}')
    })
    const { url } = (await runningDaemon(elsewhere)) ?? {}
    const dataDir = await leadingTo((_, response) => void response.writeHead(302, { location: `${url}/` }).end())
    expect(await runningDaemon(dataDir)).toBeNull()
    expect(asked).toHaveLength(1)
  })

  it('that was killed or never ran is not found', async () => {
    const dataDir = await folderForTest()
    expect(await runningDaemon(dataDir)).toBeNull()
    await writeControlFile(dataDir, { url: await deadUrl(), token, pid: 4242 })
    expect(await runningDaemon(dataDir)).toBeNull()
    await fs.writeFile(path.join(dataDir, 'control.json'), '{"url":"x"}')
    expect(await runningDaemon(dataDir)).toBeNull()
  })
})

describe('verbs that need a daemon', () => {
  const status = {
    version: '9.9.9',
    roles: ['intake', 'submit'],
    service: 'https://service.example',
    queueEngine: 'redis',
    draining: false,
    expectedShare: 0.5,
    queues: [{ name: 'submit', paused: false, waiting: 1, active: 2, delayed: 3, failed: 4, completed: 5 }],
    fleet: null,
    detectors: [],
    selection: null,
    readiness: { ready: false, checks: [{ name: 'stake', ok: false, message: 'Too low.', reason: 'stake-low' }] },
    more: 'of a later release',
  }

  it('show the status that the daemon reports, also one of another release', async () => {
    const dataDir = await leadingTo(answers(200, status))
    const shown = await readStatus(dataDir)
    expect(shown).toMatchObject({ ready: false, fleet: null, raw: { more: 'of a later release' } })
    expect(shown.lines[0]).toBe('attestd 9.9.9, process 4242, intake + submit for https://service.example')
    expect(shown.lines.slice(2)).toEqual([
      'submit   1 waiting, 2 active, 3 delayed, 4 failed',
      '✗ stake      Too low.  [stake-low]',
      'not ready',
    ])
  })

  it('mark what is paused and whether it stops, and name the source of the detector selection', async () => {
    const changed = {
      ...status,
      draining: true,
      queues: [{ ...status.queues[0], paused: true }],
      selection: { setting: 'a', chosen: 'b' },
      readiness: { ready: true, checks: [{ name: 'stake', ok: true, message: 'Fine.' }] },
    }
    const { lines, ready } = await readStatus(await leadingTo(answers(200, changed)))
    const text = lines.join('\n')
    expect(ready).toBe(true)
    expect(text).toContain('redis queue, stopping')
    expect(text).toContain('4 failed, paused')
    expect(text).toContain('detectors by models reload: b;')
    expect(text).toMatch(/✓ stake {6}Fine\.\nready$/)
  })

  it('of the queue send the request through the daemon', async () => {
    const asked: [string | undefined, unknown][] = []
    const replies: Record<string, unknown> = {
      '/control/retry': { retried: 2 },
      '/control/drain': { drained: 3 },
      '/control/pause': { paused: ['submit'] },
      '/control/resume': { paused: [] },
    }
    const dataDir = await leadingTo((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        asked.push([request.url, text === '' ? null : JSON.parse(text)])
        const reply = replies[request.url ?? ''] ?? { jobs: [] }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
      })
    })
    const control = await openQueueControl(loadSettings({ env: { ATTESTD_DATA_DIR: dataDir } }))
    expect(await control.failed({ queue: 'submit', limit: 5 })).toEqual([])
    expect(await control.retry({ ids: ['a'] })).toBe(2)
    expect(await control.drain({ queue: 'analyze' })).toBe(3)
    expect(await control.pause({ queue: 'submit' })).toEqual(['submit'])
    expect(await control.resume({})).toEqual([])
    await control.close()
    // The first one is the look whether a daemon runs.
    expect(asked.slice(1)).toEqual([
      ['/control/failed?limit=5&queue=submit', null],
      ['/control/retry', { ids: ['a'] }],
      ['/control/drain', { queue: 'analyze' }],
      ['/control/pause', { queue: 'submit' }],
      ['/control/resume', {}],
    ])
  })
})

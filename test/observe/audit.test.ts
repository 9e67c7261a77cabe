import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.js'
import { createAudit } from '../../src/observe/audit.js'
import { KeptLog } from '../support/kept-log.js'
import { folderForTest } from '../support/temporary-folder.js'
import { startTestServer } from './console-parts.js'

const clock = { now: () => Date.UTC(2026, 0, 1) }

it('writes each action as a log line and at the end of a file for the owner only', async () => {
  const folder = await folderForTest()
  const file = path.join(folder, 'audit.jsonl')
  await fs.writeFile(file, 'kept\n', { mode: 0o600 })
  const log = new KeptLog()
  const audit = createAudit(file, { clock, log })
  audit.record({
    who: 'ann\n{}',
    by: 'verb',
    action: 'pause',
    what: { queue: 'submit' },
    result: { paused: ['submit'] },
  })
  audit.record({ who: 'ann', by: 'verb', action: 'retry', what: { ids: 'x'.repeat(5000) }, result: 'done' })
  await audit.flush()
  const facts = {
    who: 'ann {}',
    by: 'verb',
    action: 'pause',
    what: { queue: 'submit' },
    result: { paused: ['submit'] },
  }
  expect(log.lines[0]).toMatchObject({ level: 'info', audit: true, ...facts })
  const [kept, first, second] = (await fs.readFile(file, 'utf8')).split('\n')
  expect([kept, JSON.parse(first!)]).toEqual(['kept', { at: '2026-01-01T00:00:00.000Z', ...facts }])
  expect(JSON.parse(second!).what).toHaveLength(1000)
  expect((await fs.stat(file)).mode & 0o777).toBe(0o600)
})

it('begins a new line after one that a full disk or a power cut truncated', async () => {
  const folder = await folderForTest()
  const file = path.join(folder, 'audit.jsonl')
  await fs.writeFile(file, '{"at":"2026-01-01T00:00', { mode: 0o600 })
  const audit = createAudit(file, { clock, log: silentLog })
  for (const action of ['pause', 'resume']) audit.record({ who: 'ann', by: 'verb', action, what: null, result: 'done' })
  await audit.flush()
  const [, ...lines] = (await fs.readFile(file, 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(['pause', 'resume'])
})

it('continues without a writable file', async () => {
  const log = new KeptLog()
  const audit = createAudit('/dev/null/audit.jsonl', { clock, log })
  audit.record({ who: 'ann', by: 'verb', action: 'pause', what: null, result: 'done' })
  await audit.flush()
  expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([{ reason: 'data-dir-unusable' }])
})

it('records what verbs and the board changed, by whom and with which answer, and nothing that was refused or only read', async () => {
  const { controlToken, recorded, server } = await startTestServer({ password: 'correct horse' })
  const call = (route: string, method: string, headers: Record<string, string>, body?: unknown) =>
    fetch(new URL(route, server.url), {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : null,
    })
  const verb = { authorization: `Bearer ${controlToken}`, 'x-attestd-user': 'j%C3%B6rg' }
  await call('/control/pause', 'POST', verb, { queue: 'submit' })
  await call('/control/retry', 'POST', verb, { queue: 'no-such' })
  await call('/control/failed', 'GET', verb)
  await call('/control/pause', 'POST', { authorization: 'Bearer wrong' }, { queue: 'submit' })
  const person = { authorization: `Basic ${Buffer.from('ann:correct horse').toString('base64')}` }
  await call('/queues/api/queues/submit/pause', 'PUT', person)
  await call('/queues/api/queues', 'GET', person)
  await call('/queues/api/queues/submit/pause', 'PUT', {
    authorization: `Basic ${Buffer.from('bob:wrong').toString('base64')}`,
  })
  expect(recorded).toMatchObject([
    { who: 'jörg', by: 'verb', action: 'pause', what: { queue: 'submit' }, result: { paused: ['1'] } },
    { who: 'jörg', by: 'verb', action: 'retry', what: { queue: 'no-such' }, result: { error: {} } },
    { who: 'ann', by: 'board', action: 'PUT /queues/api/queues/submit/pause', what: null },
  ])
})

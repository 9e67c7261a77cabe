import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { callDaemon } from '../../src/app/running-daemon.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { urlAnswering } from '../support/local-server.js'

it('low stake and its end are reported to the webhook while the daemon works; a verb is in the audit', async () => {
  const got: string[] = []
  const receiver = await urlAnswering(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { alarm, state } = JSON.parse(body) as { alarm: string; state: string }
    // On a busy machine the queue or the clock may be in trouble for a second too.
    if (alarm === 'stake-low') got.push(state)
    response.end()
  })
  const bench = await benchOfTest()
  const daemon = bench.startHere({
    ATTESTD_WEBHOOK_URL: `${receiver}/hook-with-a-key`,
    ATTESTD_WEBHOOK_EVERY_MS: '1000',
  })
  await daemon.ready()
  await bench.sandbox.control.setStake({ stakedWei: 1n })
  await bench.until('the alarm', () => got.includes('firing'))
  await bench.sandbox.control.setStake({ stakedWei: 10n ** 19n })
  await bench.until('the end of the alarm', () => got.at(-1) === 'resolved')
  await bench.registerMany(2, 'after')
  await bench.expectExactlyOneEach()
  expect(await daemon.metric('attestd_webhook_messages_total', 'outcome="failed"')).toBe(0)
  const control = await daemon.serving()
  const answer = z.object({ paused: z.array(z.string()) })
  await callDaemon(control, { method: 'POST', path: '/control/pause', body: { queue: 'submit' }, answer })
  const audit = path.join(bench.folder, 'main', 'audit.jsonl')
  await bench.until('the line', async () => (await fs.readFile(audit, 'utf8').catch(() => '')).includes('"pause"'))
  expect(daemon.output).toContain('"audit":true')
  expect(daemon.output).not.toContain('hook-with-a-key')
})

import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { DaemonBench, SERVICE_TIMEOUT_MS } from '../support/daemon-bench.js'
import type { DaemonUnderTest } from '../support/daemon-under-test.js'
import { Wiretap } from '../support/daemon-wiretap.js'
import { onEachApi } from '../support/fault-run.js'
import { findRedisServer } from '../support/redis-server.js'
import { sendSigned } from '../support/sandbox-requests.js'

const COUNTER = 'attestd_doppelganger_scores_total'

let bench: DaemonBench
let tap: Wiretap | undefined

afterEach(async () => {
  await bench.dispose()
  await tap?.close()
  tap = undefined
})

/** A daemon on a queue of its own, that the other is faster than. */
async function startSlow(changes: Readonly<Record<string, string>>): Promise<DaemonUnderTest> {
  tap = await Wiretap.start(bench.sandbox.url, { roundTripMs: 600 })
  await bench.prepare('slow')
  return bench.startHere({ ATTESTD_SERVICE_URL: tap.url, ...changes }, 'slow').ready()
}

/** Registers asset by asset, since what was open while the daemon was new is no alarm. */
async function untilAlarm(daemon: DaemonUnderTest, seed: string): Promise<void> {
  await bench.until('an alarm', async () => {
    await bench.register(seed)
    await bench.allScored()
    return (await daemon.metric(COUNTER)) > 0
  })
}

onEachApi('another daemon with the same key, on a queue of its own', (api) => {
  it('is found, logged, counted and shown, and the daemon continues', async () => {
    bench = await DaemonBench.create({ api })
    await bench.prepare('fast')
    const fast = await bench.startHere({}, 'fast').ready()
    const slow = await startSlow({})
    await untilAlarm(slow, 'twins')
    expect(slow.log.find(({ reason }) => reason === 'doppelganger')).toMatchObject({ asset: expect.any(String) })
    expect((await slow.get('/')).text).toContain('Foreign scores')
    expect(await slow.foreignScores()).toBeGreaterThan(0)
    expect(await slow.metric('attestd_scores_total', 'how="foreign"')).toBeGreaterThan(0)
    expect((await slow.get('/readyz')).status).toBe(200)
    await fast.end()
    await bench.register('twins')
    await bench.allScored()
  })

  it('ends submission where the setting asks for it, until a restart', async () => {
    bench = await DaemonBench.create({ api })
    await bench.prepare('fast')
    const fast = await bench.startHere({}, 'fast').ready()
    const slow = await startSlow({ ATTESTD_ON_DOPPELGANGER: 'stop' })
    await untilAlarm(slow, 'stops')
    await bench.allScored()
    await fast.end()
    await bench.until('a reason why it is not ready', async () =>
      (await slow.get('/readyz')).text.includes('"reason":"doppelganger"'),
    )
    const { id } = await bench.register('stops')
    const waits = async () =>
      (await slow.queues()).some((queue) => queue.name === 'submit' && queue.waiting + queue.delayed > 0)
    await bench.until('a held submission', waits)
    expect(bench.scoreCounts()[id]).toBe(0)
    await slow.end()
    bench.startHere({}, 'slow')
    await bench.allScored()
  })

  it('is not reported for a proxy that forwards scores and then refuses them', async () => {
    const words = JSON.stringify({ error: 'slow down' })
    const answers = [
      ...[429, 413, 403, 400, 409].map((status) => ({ status, type: 'application/json', body: words })),
      ...[401, 403, 404, 410, 429, 500].map((status) => ({ status, type: 'text/html', body: '<html>no</html>' })),
    ].filter(({ status, type }) => !(api === 'wallet-session' && status === 403 && type === 'application/json'))
    bench = await DaemonBench.create({ api })
    tap = await Wiretap.start(bench.sandbox.url, { toldOfSend: (nth) => answers[nth % answers.length]! })
    await bench.prepare()
    const changes = { ATTESTD_SERVICE_URL: tap.url, ATTESTD_ON_DOPPELGANGER: 'stop' }
    const daemon = await bench.startHere(changes).ready()
    // From then on whatever the queue has no attempt of is another's.
    await sleep(bench.windowMs + 2 * SERVICE_TIMEOUT_MS)
    await bench.registerMany(answers.length, 'proxy')
    await bench.expectExactlyOneEach()
    expect((await daemon.get('/readyz')).status).toBe(200)
  })

  it('is not reported for the same daemon that lost its data directory', async () => {
    const rules = [
      { route: 'score', fault: 'slow', ms: 700, probability: 0.5 },
      { route: 'score', fault: 'no-reply', probability: 0.3, untilAttempt: 1 },
    ] as const
    bench = await DaemonBench.create({ api, faults: { seed: 'lost', rules: [...rules] } })
    for (const life of ['first', 'second', 'third']) {
      await bench.prepare(life)
      const daemon = await bench.start({}, life).ready()
      const sends = bench.requests('score')
      await bench.registerMany(6, life)
      await bench.until('a send', () => bench.requests('score') > sends)
      if (life !== 'third') await daemon.kill9()
    }
    await bench.allScored()
    await bench.quiet()
    expect(await bench.daemons.at(-1)!.metric(COUNTER)).toBe(0)
  })
})

/** Scores with the key of the daemons what they abstained from, until one finds it. @returns the ids; the last one was found */
async function untilForeign(daemons: readonly DaemonUnderTest[]): Promise<string[]> {
  const { attesterKey, url } = bench.sandbox
  const sum = async (name: string) =>
    (await Promise.all(daemons.map((daemon) => daemon.metric(name)))).reduce((all, one) => all + one, 0)
  const score = (id: string) =>
    sendSigned(url, attesterKey, {
      method: 'POST',
      target: `/api/v1/attester/media/${id}/scores`,
      body: JSON.stringify({ deepfakeRiskScore: 77, algorithm: 'theirs' }),
    })
  const someLists = async (what: string) => {
    const before = bench.requests('list')
    await bench.until(what, () => bench.requests('list') > before + daemons.length)
  }
  const scored: string[] = []
  // What was open while the daemon was new is no alarm.
  await bench.until('an alarm', async () => {
    const before = await sum('attestd_abstained_total')
    const { id } = await bench.register('broken', { content: Buffer.from(`no picture ${scored.length}`) })
    await bench.until('an abstention', async () => (await sum('attestd_abstained_total')) > before)
    await someLists('a list without the score')
    expect((await score(id)).status).toBe(200)
    await someLists('a list with the score')
    scored.push(id)
    return (await sum(COUNTER)) > 0
  })
  return scored
}

it.skipIf(findRedisServer() === null)('all daemons of a queue stop at the alarm of one of them', async () => {
  bench = await DaemonBench.create()
  const stops = { ATTESTD_QUEUE_URL: (await bench.redis()).url, ATTESTD_ON_DOPPELGANGER: 'stop' }
  const daemons = await Promise.all(['one', 'other'].map((name) => bench.startHere(stops, name).ready()))
  await untilForeign(daemons)
  for (const daemon of daemons) {
    await bench.until('a reason why it is not ready', async () =>
      (await daemon.get('/readyz')).text.includes('"reason":"doppelganger"'),
    )
  }
})

it('a foreign score for an asset that this daemon abstained from is found by the list, and recorded', async () => {
  bench = await DaemonBench.create()
  await bench.prepare()
  const daemon = await bench.startHere().ready()
  const scored = await untilForeign([daemon])
  expect(scored).toContain(daemon.log.find(({ reason }) => reason === 'doppelganger')?.asset)
  expect((await daemon.get('/')).text).toContain('Foreign scores')
  expect(await daemon.foreignScores()).toBe(1)
  expect(await daemon.metric('attestd_scores_total', 'how="foreign"')).toBe(1)
  const { out } = await attestdVerb(['scores', '--kind', 'receipt', '--json'], {
    ATTESTD_DATA_DIR: path.join(bench.folder, 'main'),
  })
  expect(JSON.parse(out)).toMatchObject([{ assetId: scored.at(-1), outcome: 'foreign', risk: 77 }])
  expect(await daemon.metric('attestd_scores_total', 'how="accepted"')).toBe(0)
})

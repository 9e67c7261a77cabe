import { beforeAll, expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.js'
import { createSignedKeyService } from '../../src/service/signed-key/attester-service.js'
import { watchLoop } from '../support/loop-watch.js'
import { ManualClock } from '../support/manual-clock.js'
import { startHostileServer } from './hostile-server.js'
import { ACCESS_KEY, SIGNING_SECRET, wireAsset } from './local-service.js'
import { event, ping } from './stream-harness.js'

/**
 * No event may hold the event loop for longer, milliseconds. It is processor time that is compared: the delay of a timer,
 * which is printed, has other processes in it. How much is done in a turn is counted in `test/core/turns`.
 */
const LONGEST_TURN_MS = 50

/** Reads what a service streams until it is told that the end has come, or the connection ends. */
async function read(stream: string) {
  const clock = new ManualClock()
  const server = await startHostileServer(
    `${stream}${event('new-open-assets', { ids: ['end'], assets: [] })}`,
    clock.now(),
  )
  let malformed = 0
  const { service, close } = createSignedKeyService({
    serviceUrl: server.url,
    accessKey: ACCESS_KEY,
    signingSecret: SIGNING_SECRET,
    requestTimeoutMs: 60_000,
    streamIdleMs: 45_000,
    clock,
    random: () => 0.5,
    log: silentLog,
    onMalformed: () => {
      malformed++
    },
  })
  const counts: Record<string, number> = {}
  try {
    const figures = await watchLoop(async () => {
      const stop = new AbortController()
      for await (const one of service.watch(stop.signal)) {
        const name = one.kind === 'trouble' ? one.reason : one.kind
        counts[name] = (counts[name] ?? 0) + 1
        if (name === 'delta' || name === 'event-too-large') stop.abort()
      }
    })
    return { ...figures, counts, malformed }
  } finally {
    await close()
    await server.stop()
  }
}

const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const list = (assets: unknown[]) => event('open-assets', { ids: many(20_000, (at) => `a${at}`), assets })

const ATTACKS: [string, () => string, Record<string, number>][] = [
  ['7 million lines that mean nothing', () => `event: x\n${'a\n'.repeat(7_000_000)}\n`, { 'event-too-large': 1 }],
  ['20 MB of comments', () => ': c\n'.repeat(5_000_000), { heartbeat: 1, delta: 1 }],
  [
    '1.2 million ids',
    () => event('open-assets', { ids: many(1_200_000, (at) => `a${at}`), assets: [] }),
    { 'event-too-large': 1 },
  ],
  ['99,000 lines of data', () => `${'data: 1,\n'.repeat(99_000)}\n`, { 'event-malformed': 1, delta: 1 }],
  [
    'line ends of another kind',
    () => `event: x\n${'data\n'.repeat(90_000)}${'\r'.repeat(5_000_000)}\n`,
    { 'event-malformed': 1, delta: 1 },
  ],
  [
    '100,000 events',
    () => `${ping}data\n\n`.repeat(50_000),
    { heartbeat: 50_000, 'event-malformed': 50_000, delta: 1 },
  ],
  ['20,000 good assets', () => list(many(20_000, (at) => wireAsset(`a${at}`))), { snapshot: 1, delta: 1 }],
  [
    '20,000 malformed assets',
    () => list(many(20_000, (at) => ({ id: `a${at}`, title: at }))),
    { snapshot: 1, delta: 1 },
  ],
  ['a text of 15 MB', () => list([wireAsset('a', { title: '\\u00e4"'.repeat(1_800_000) })]), { snapshot: 1, delta: 1 }],
  [
    'lists in lists',
    () => `event: open-assets\ndata: ${'['.repeat(15_000_000)}\n\n`,
    { 'event-malformed': 1, delta: 1 },
  ],
]

beforeAll(async () => {
  // What is compiled and loaded once is not what an event costs.
  await read(list([wireAsset('a')]))
}, 60_000)

it.for(ATTACKS)('%s', { timeout: 120_000, retry: 2 }, async ([name, stream, counts]) => {
  const { counts: got, malformed, ...figures } = await read(stream())
  const text = Object.entries(figures).map(([of, ms]) => `${of} ${ms.toFixed(1)}`)
  console.info(`${name}: ${text.join(', ')}, ${malformed} malformed`)
  for (const [kind, count] of Object.entries(counts)) expect(got[kind], kind).toBeGreaterThanOrEqual(count)
  expect(figures.longestTurnCpuMs).toBeLessThan(LONGEST_TURN_MS)
})

import { beforeAll, expect, it } from 'vitest'
import { createSignedKeyService } from '../../src/service/signed-key/attester-service.js'
import { watchLoop } from '../support/loop-watch.js'
import { ManualClock } from '../support/manual-clock.js'
import { startHostileServer } from './hostile-server.js'
import { ACCESS_KEY, defaultsFor, SIGNING_SECRET, wireAsset } from './local-service.js'
import { event, ping } from './stream-harness.js'

/** Bytes that are parsed in one turn of the event loop at most; the longest turn, in processor time, is printed. */
const TURN_BYTES = 4 * 1024

/** Reads what a service streams until it is told that the end has come, or the connection ends. */
async function read(stream: string) {
  const clock = new ManualClock()
  const server = await startHostileServer(
    `${stream}${event('new-open-assets', { ids: ['end'], assets: [] })}`,
    clock.now(),
  )
  let malformed = 0
  const { service, close } = createSignedKeyService({
    ...defaultsFor(server.url),
    accessKey: ACCESS_KEY,
    signingSecret: SIGNING_SECRET,
    requestTimeoutMs: 60_000,
    streamIdleMs: 45_000,
    clock,
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
        if (name === 'delta') stop.abort()
      }
    })
    return { ...figures, counts, malformed }
  } finally {
    await close()
    await server.stop()
  }
}

const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const list = (assets: unknown[]) => event('open-assets', { ids: assets.map((_, at) => `a${at}`), assets })

const raw = (text: string) => `event: open-assets\ndata: ${text}\n\n`
const MIB = 1024 * 1024

const ATTACKS: [string, () => string, Record<string, number>][] = [
  [
    'unknown lines without an end',
    () => `event: x\n${`${'a'.repeat(100)}\n`.repeat(50_000)}\n`,
    { 'event-too-large': 1, delta: 1 },
  ],
  ['unknown lines between blank ones', () => 'a\n\n'.repeat(100_000), { delta: 1 }],
  ['5 MB of comments', () => ': c\n'.repeat(1_250_000), { heartbeat: 1, delta: 1 }],
  ['5 MB of blank lines', () => '\n\r'.repeat(2_500_000), { heartbeat: 1, delta: 1 }],
  ['a comment of 5 MB', () => `:${'c'.repeat(5_000_000)}\n\n`, { 'event-too-large': 1, delta: 1 }],
  [
    '1.2 million ids',
    () => event('open-assets', { ids: many(1_200_000, (at) => `a${at}`), assets: [] }),
    { 'event-too-large': 1, delta: 1 },
  ],
  ['200,000 lines of data', () => `${'data: 1,\n'.repeat(200_000)}\n`, { 'event-malformed': 1, delta: 1 }],
  ['400,000 empty lines of data', () => `event: x\n${'data\n'.repeat(400_000)}\n`, { 'event-malformed': 1, delta: 1 }],
  [
    'line ends of another kind',
    () => `event: x\n${'data\n'.repeat(90_000)}${'\r'.repeat(2_000_000)}\n`,
    { 'event-malformed': 1, delta: 1 },
  ],
  [
    '100,000 events',
    () => `${ping}data\n\n`.repeat(50_000),
    { heartbeat: 50_000, 'event-malformed': 50_000, delta: 1 },
  ],
  ['3,300 good assets', () => list(many(3300, (at) => wireAsset(`a${at}`))), { snapshot: 1, delta: 1 }],
  [
    '10,000 malformed assets',
    () => list(many(10_000, (at) => ({ id: `a${at}`, title: at }))),
    { snapshot: 1, delta: 1 },
  ],
  ['a text of 2 MB', () => list([wireAsset('a', { title: '\u00e4"'.repeat(400_000) })]), { snapshot: 1, delta: 1 }],
  ['lists in lists', () => raw('['.repeat(2 * MIB - 100)), { 'event-too-large': 1, delta: 1 }],
  ['as many lists in lists as are taken', () => raw('['.repeat(80_000)), { 'event-malformed': 1, delta: 1 }],
  [
    'objects that all differ',
    () => raw(`[${many(26_000, (at) => `{"${at.toString(36)}":0}`).join()}]`),
    { 'event-malformed': 1, delta: 1 },
  ],
  [
    'an object of many members',
    () => raw(`{"ids":[],"assets":[],${many(39_000, (at) => `"k${at}":0`).join()}}`),
    { snapshot: 1, delta: 1 },
  ],
]

beforeAll(async () => {
  // What is compiled and loaded once is not what an event costs.
  await read(list([wireAsset('a')]))
})

it.for(ATTACKS)('%s', async ([name, make, counts]) => {
  const stream = make()
  const { counts: got, malformed, ...figures } = await read(stream)
  const { turns, ...times } = figures
  const text = Object.entries(times).map(([of, ms]) => `${of} ${ms.toFixed(1)}`)
  console.info(`${name}: ${text.join(', ')}, ${malformed} malformed`)
  for (const [kind, count] of Object.entries(counts)) expect(got[kind], kind).toBeGreaterThanOrEqual(count)
  // An event over the cap is not parsed beyond it.
  const parsed = 'event-too-large' in counts ? 2 * MIB : stream.length
  expect(turns).toBeGreaterThanOrEqual(parsed / TURN_BYTES)
})

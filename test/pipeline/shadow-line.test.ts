import { beforeEach, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import type { Detection, DetectRequest, ShadowMeasurement } from '../../src/detect/detection.js'
import type { FetchedMedia } from '../../src/media/media-source.js'
import type { Comparison } from '../../src/pipeline/pipeline-events.js'
import { ShadowLine } from '../../src/pipeline/shadow-line.js'
import { ManualClock } from '../support/manual-clock.js'
import { submitJobData } from '../support/pipeline-parts.js'

const { asset } = submitJobData()
const detector = { id: 'dark', version: '1.0.0', title: 'dark', mediaTypes: ['image'] as const, digest: 'd'.repeat(64) }
const detection = (risk: number, unsure = false) => ({ risk, rawScore: risk, unsure }) as Detection

let clock: ManualClock
let held: Set<string>
let dropped: number
let compared: Comparison[]
let waiting: number
let answer: (request: DetectRequest, signal?: AbortSignal) => Promise<readonly ShadowMeasurement[]>
let measured: string[]

beforeEach(() => {
  clock = new ManualClock()
  held = new Set()
  dropped = 0
  compared = []
  waiting = 0
  measured = []
  answer = async () => [{ detector, detection: detection(0.2), totalMs: 5 }]
})

const line = (unsurePolicy: 'abstain' | 'submit' = 'abstain') =>
  new ShadowLine({
    detectors: {
      detectors: [{ ...detector, weight: 1, shadow: true }],
      state: () => ({
        ready: 1,
        busy: 0,
        size: 1,
        waiting,
        lastInferenceAgoMs: 0,
        timeoutMs: 60_000,
        unreachable: [],
        caged: false,
      }),
      shadow: async (request, signal) => {
        measured.push(request.file)
        return answer(request, signal)
      },
    },
    unsurePolicy,
    clock,
    log: silentLog,
    events: {
      compared: (comparison) => compared.push(comparison),
      shadowDropped: () => {
        dropped++
      },
    },
  })

function offer(name: string, submitted = detection(0.8), mediaType: 'image' | 'audio' = 'image') {
  held.add(name)
  const media = { file: name, release: () => held.delete(name) } as unknown as FetchedMedia
  return { asset: { ...asset, mediaType }, submitted, media }
}

it.each([
  [0.8, false, 0.9, false, 'abstain', true, false],
  [0.8, false, 0.2, false, 'abstain', false, true],
  [0.8, false, 0.9, true, 'abstain', true, true],
  [0.8, true, 0.2, true, 'abstain', false, false],
  [0.8, true, 0.9, false, 'submit', true, false],
] as const)(
  'submitted %d (unsure: %s), shadow %d (unsure: %s), policy %s: agrees %s, would change %s',
  async (...row) => {
    const [risk, unsure, shadowRisk, shadowUnsure, policy, agrees, wouldChange] = row
    answer = async () => [{ detector, detection: detection(shadowRisk, shadowUnsure), totalMs: 5 }]
    line(policy).offer(offer('a', detection(risk, unsure)))
    await expect.poll(() => compared).toMatchObject([{ agrees, wouldChange }])
    await expect.poll(() => held.size).toBe(0)
  },
)

it('a file of a kind without a shadow is released at once', () => {
  line().offer(offer('a', detection(0.8), 'audio'))
  expect([held.size, dropped]).toEqual([0, 0])
})

it('a failing shadow is reported by its reason', async () => {
  answer = async () => [{ detector, reason: 'detector-failed', totalMs: 5 }]
  line().offer(offer('a'))
  await expect.poll(() => compared).toMatchObject([{ agrees: null, wouldChange: null }])
})

it('one failure stops nothing and keeps no file', async () => {
  const shadows = line()
  answer = () => Promise.reject(new Error('broken'))
  shadows.offer(offer('a'))
  await expect.poll(() => held.size).toBe(0)
  answer = async () => [{ detector, detection: detection(0.2), totalMs: 5 }]
  shadows.offer(offer('b'))
  await expect.poll(() => compared).toHaveLength(1)
})

it('it pauses while live files wait, drops what has no place, and continues in order', async () => {
  waiting = 3
  const shadows = line()
  for (let nth = 0; nth < 12; nth++) shadows.offer(offer(`file ${nth}`))
  await clock.untilSleeping()
  await clock.advance(1000)
  expect([measured.length, dropped, held.size]).toEqual([0, 3, 9])
  waiting = 0
  await clock.advance(1000)
  await expect.poll(() => held.size).toBe(0)
  expect(measured).toEqual(Array.from({ length: 9 }, (_, nth) => `file ${nth}`))
  shadows.offer(offer('later'))
  await expect.poll(() => measured.at(-1)).toBe('later')
})

it('a stop releases every file, waiting or active', async () => {
  answer = (_, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new AttestdError('draining'))))
  const shadows = line()
  for (const name of ['a', 'b', 'c']) shadows.offer(offer(name))
  await expect.poll(() => measured).toEqual(['a'])
  await shadows.stop()
  expect([held.size, compared.length]).toEqual([0, 0])
  shadows.offer(offer('late'))
  expect(held.size).toBe(0)
})

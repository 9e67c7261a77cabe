import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import type { Reason } from '../../../src/core/reasons.js'
import { asRisk } from '../../../src/core/risk.js'
import { canariesOf, detectBy, isOfShare, lineupsOf, loadedDetectorOf } from '../../../src/detect/host/lineup.js'
import type { SelectedPackage } from '../../../src/detect/package/package-loader.js'
import { logitOf } from '../../../src/detect/scoring/calibration.js'
import { parsedTinyManifest } from '../../support/detector-package.js'
import { storableDetection } from '../../support/pipeline-parts.js'
import { withReason } from '../../support/with-reason.js'

const VIDEO = {
  mediaTypes: ['video_short', 'video_long'],
  runtime: { kind: 'composed', frames: 'a' },
  preprocessing: { kind: 'video', maxFrames: 8, windowSeconds: 2 },
}

function selected(id: string, part: Partial<SelectedPackage> = {}, fields: object = {}): SelectedPackage {
  const manifest = parsedTinyManifest(id, { title: `Title of ${id}`, ...fields })
  return { folder: `/models/${id}`, manifest, digest: id.repeat(8), uses: [], weight: 1, shadow: false, ...part }
}
const idsOf = (packages: readonly SelectedPackage[]) =>
  Object.fromEntries(
    [...lineupsOf(packages)].map(([type, { members }]) => [type, members.map((each) => each.manifest.id)]),
  )

describe('lineupsOf', () => {
  it('orders all that score one kind of media by their ids, whatever the order of the list', () => {
    expect(idsOf([selected('b'), selected('a'), selected('c', {}, VIDEO)])).toEqual({
      image: ['a', 'b'],
      video_short: ['c'],
      video_long: ['c'],
    })
  })

  it('leaves out shadows and canaries, and kinds without a detector', () => {
    expect(idsOf([selected('a', { shadow: true }), selected('b', { canary: 10 }), selected('c', {}, VIDEO)])).toEqual({
      video_short: ['c'],
      video_long: ['c'],
    })
    expect(idsOf([])).toEqual({})
  })

  it('signs with the package alone, or with an ensemble named by members and weights', () => {
    const alone = lineupsOf([selected('a')]).get('image')
    expect(alone).toMatchObject({ ensemble: null, summary: { id: 'a', version: '1.0.0', digest: 'a'.repeat(8) } })
    const summary = (weight: number) => lineupsOf([selected('a', { weight }), selected('b')]).get('image')?.summary
    expect(summary(1)).toMatchObject({ id: 'ensemble(a+b)', title: 'Title of a + Title of b', mediaTypes: ['image'] })
    expect(summary(1)?.digest).not.toBe(summary(2)?.digest)
    expect(summary(1)).toEqual(lineupsOf([selected('b'), selected('a')]).get('image')?.summary)
  })
})

it('a loaded detector states its part in the scores, and a share only for a canary', () => {
  expect(loadedDetectorOf(selected('a', { weight: 3 }))).toMatchObject({ id: 'a', weight: 3, shadow: false })
  expect(loadedDetectorOf(selected('a'))).not.toHaveProperty('canary')
  expect(loadedDetectorOf(selected('a', { canary: 5 }))).toMatchObject({ canary: 5 })
})

describe('detectBy', () => {
  const detection = (id: string, risk: number) =>
    storableDetection({ detectorId: id, detectorDigest: id, risk: asRisk(risk), rawScore: logitOf(risk), notes: '' })
  const lineup = (...members: SelectedPackage[]) => lineupsOf(members).get('image')!

  /** Measures each member by what is stated for it: a risk, or the reason for which it fails. */
  function measuring(outcomes: Record<string, number | Reason | Error>) {
    const asked: string[] = []
    const measure = async ({ manifest: { id } }: SelectedPackage) => {
      asked.push(id)
      const outcome = outcomes[id]!
      if (outcome instanceof Error) throw outcome
      if (typeof outcome === 'string') throw new AttestdError(outcome, `${id} says ${outcome}`)
      return detection(id, outcome)
    }
    return { asked, measure }
  }

  it('returns what one measured alone, including its abstention', async () => {
    const { asked, measure } = measuring({ a: 0.9 })
    expect(await detectBy(lineup(selected('a')), measure)).toMatchObject({ detectorId: 'a', risk: 0.9 })
    expect(asked).toEqual(['a'])
    const { measure: abstains } = measuring({ a: 'media-too-small' })
    await expect(detectBy(lineup(selected('a')), abstains)).rejects.toThrow(withReason('media-too-small'))
  })

  it('combines members by their weights', async () => {
    const { asked, measure } = measuring({ a: 0.9, b: 0.1 })
    const result = await detectBy(lineup(selected('a', { weight: 3 }), selected('b')), measure)
    expect(result.rawScore).toBeCloseTo(logitOf(0.9) / 2, 9)
    expect(result).toMatchObject({ detectorId: 'ensemble(a+b)' })
    expect(asked).toEqual(['a', 'b'])
  })

  it('leaves out a member that abstains', async () => {
    const { asked, measure } = measuring({ a: 'media-too-small', b: 0.8, c: 0.8 })
    const result = await detectBy(lineup(selected('a'), selected('b'), selected('c')), measure)
    expect(result.risk).toBeCloseTo(0.8, 9)
    expect(result.notes).toContain('a left out: media-too-small')
    expect(asked).toEqual(['a', 'b', 'c'])
  })

  it('abstains for the first reason where all do', async () => {
    const { measure } = measuring({ a: 'media-too-small', b: 'media-featureless' })
    const act = detectBy(lineup(selected('a'), selected('b')), measure)
    await expect(act).rejects.toMatchObject({ reason: 'media-too-small', message: 'a says media-too-small' })
  })

  it.each<[string, Reason | Error]>([
    ['fails', 'detector-failed'],
    ['takes too long', 'detector-timeout'],
    ['cannot be reached', 'detector-unreachable'],
    ['throws what nobody expects', new Error('odd')],
  ])('returns no score of the others where one %s', async (_, outcome) => {
    const { asked, measure } = measuring({ a: 0.9, b: outcome, c: 0.9 })
    const act = detectBy(lineup(selected('a'), selected('b'), selected('c')), measure)
    await expect(act).rejects.toThrow(outcome instanceof Error ? 'odd' : `b says ${outcome}`)
    expect(asked).toHaveLength(2)
  })
})

describe('canariesOf', () => {
  const charge = lineupsOf([selected('a'), selected('v', {}, VIDEO)])

  it('lists each kind of media of a canary, with its share', () => {
    const found = canariesOf([selected('a'), selected('n', { canary: 7 }, VIDEO)], charge)
    expect([...found.keys()]).toEqual(['video_short', 'video_long'])
    expect(found.get('video_long')).toMatchObject({ percent: 7, ensemble: null, summary: { id: 'n', canary: 7 } })
    expect(canariesOf([selected('a')], charge).size).toBe(0)
  })

  it.each([
    [
      'no active detector scores its medium',
      [selected('n', { canary: 7 })],
      lineupsOf([]),
      /no active detector scores image/,
    ],
    [
      'another candidate has it',
      [selected('n', { canary: 7 }), selected('o', { canary: 3 })],
      charge,
      /o cannot be a canary.*another candidate scores image/,
    ],
  ])('is refused where %s', (_, packages, inCharge, message) => {
    expect(() => canariesOf(packages, inCharge)).toThrow(withReason('setting-invalid', message))
  })
})

describe('isOfShare', () => {
  // By `printf 'canary\n0x00..' | sha256sum`: first 8 hex digits over 2^32, in percent.
  it.each([
    [`0x${'00'.repeat(32)}`, 20.32],
    [`0x${'ff'.repeat(32)}`, 64.48],
  ])('%s is drawn by any share above its own position, on every machine', (hash, place) => {
    expect([isOfShare(hash, Math.floor(place)), isOfShare(hash, Math.ceil(place))]).toEqual([false, true])
  })

  it('does not depend on how the hash is spelled', () => {
    const one = `0x${'ab'.repeat(32)}`
    expect(isOfShare(one, 50)).toBe(isOfShare(one.toUpperCase(), 50))
  })

  it('draws nothing at 0 and everything at 100', () => {
    const hashes = Array.from({ length: 200 }, (_, nth) => `0x${nth.toString(16).padStart(64, '0')}`)
    expect(hashes.some((hash) => isOfShare(hash, 0))).toBe(false)
    expect(hashes.every((hash) => isOfShare(hash, 100))).toBe(true)
  })
})

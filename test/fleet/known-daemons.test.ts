import { describe, expect, it } from 'vitest'
import type { DaemonCard } from '../../src/fleet/daemon-card.js'
import { knownDaemons, LOST_AFTER_MS, mixedOf } from '../../src/fleet/known-daemons.js'
import { cardOf } from '../support/fleet-cards.js'

const detectors = [{ id: 'tiny', version: '1.0.0', digest: 'aa', shadow: false }]
const card = (change: Partial<DaemonCard> = {}) => cardOf({ detectors, ...change })

const self = { id: 'self', card: card({ name: 'me:1' }) }
const said = (id: string, change: Partial<DaemonCard>, agoMs = 10) => ({
  id,
  text: JSON.stringify(card(change)),
  agoMs,
})
const states = (announced: Parameters<typeof knownDaemons>[0]) =>
  knownDaemons(announced, self).map(({ name, state }) => `${name} ${state}`)

describe('the known daemons', () => {
  it('are this one and the announced ones, lost after some seconds without an announcement', () => {
    const announced = [
      said('a', { name: 'a:1' }, LOST_AFTER_MS + 1),
      said('b', { name: 'b:1' }, LOST_AFTER_MS),
      said('c', { name: 'c:1', stopping: true }),
      said('self', { name: 'me:1' }, 99_999),
    ]
    expect(states(announced)).toEqual(['a:1 lost', 'b:1 alive', 'c:1 stopping', 'me:1 alive'])
  })

  it('drop a lost run whose name is back, and all but the last lost run of a name', () => {
    const back = [said('old', { name: 'a:1' }, 60_000), said('new', { name: 'a:1' })]
    const gone = [said('one', { name: 'b:1', pid: 7 }, 90_000), said('two', { name: 'b:1', pid: 8 }, 60_000)]
    expect(states([...back, ...gone])).toEqual(['a:1 alive', 'b:1 lost', 'me:1 alive'])
    expect(knownDaemons(gone, self).find(({ name }) => name === 'b:1')!.pid).toBe(8)
  })

  it.each(['', '{', 'null', '{"name":"x"}', JSON.stringify({ ...card(), roles: 'analyze' })])(
    'drop one whose announcement is %j',
    (text) => {
      expect(states([{ id: 'x', text, agoMs: 1 }])).toEqual(['me:1 alive'])
    },
  )
})

describe('a warning about differences', () => {
  const mixed = (...cards: Partial<DaemonCard>[]) =>
    mixedOf(
      knownDaemons(
        cards.map((one, nth) => said(`d${nth}`, { name: `d${nth}`, ...one })),
        self,
      ),
    )
  const tiny = { id: 'tiny', version: '1.0.0', digest: 'aa', shadow: false }

  it('of versions or detectors is shown', () => {
    expect(mixed({ version: '0.2.0' })).toEqual({ versions: ['0.1.0', '0.2.0'], detectors: [], fingerprints: [] })
    expect(mixed({ detectors: [{ ...tiny, digest: 'bb' }] })).toEqual({
      versions: [],
      detectors: ['tiny'],
      fingerprints: [],
    })
    expect(mixed({ detectors: [{ ...tiny, shadow: true }] }).detectors).toEqual(['tiny'])
    expect(mixed({ detectors: [tiny, { ...tiny, id: 'more' }] }).detectors).toEqual(['more'])
  })

  it('of secrets is shown with the daemons of each', () => {
    expect(mixed({ fingerprint: 'abc' }).fingerprints).toEqual(expect.arrayContaining(['d0 abc']))
    expect(mixed({ fingerprint: 'abc' }).fingerprints).toHaveLength(2)
  })

  it('is not shown where daemons are the same, do not analyze, or are gone', () => {
    const none = { versions: [], detectors: [], fingerprints: [] }
    expect(mixed({})).toEqual(none)
    expect(mixed({ roles: ['submit'], detectors: [] })).toEqual(none)
    const lost = said('x', { name: 'x', version: '9.0.0', detectors: [] }, 60_000)
    expect(mixedOf(knownDaemons([lost], self))).toEqual(none)
  })
})

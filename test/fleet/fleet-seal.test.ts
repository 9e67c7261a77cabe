import { describe, expect, it } from 'vitest'
import { FleetSeal } from '../../src/fleet/fleet-seal.js'

const seal = new FleetSeal('one secret of thirty-two characters')
const job = { asset: { id: 'a', title: 't' }, verdict: { risk: 12.5 }, sent: null }
const sealed = seal.sealed('job submit', 'a', job) as Record<string, unknown>
/** As an engine hands it out that keeps no order of keys. */
const turned = (value: Record<string, unknown>) => Object.fromEntries(Object.entries(value).toReversed())

describe('the code of a fleet', () => {
  it('is valid for what it was made for, whatever the order of keys, and repeatedly', () => {
    expect(seal.isOurs('job submit', 'a', JSON.parse(JSON.stringify(sealed)))).toBe(true)
    expect(seal.isOurs('job submit', 'a', turned({ ...sealed, asset: turned(job.asset) }))).toBe(true)
    expect(seal.sealed('job submit', 'a', sealed)).toEqual(sealed)
  })

  it.each<[string, () => boolean]>([
    ['another purpose', () => seal.isOurs('job analyze', 'a', sealed)],
    ['another asset', () => seal.isOurs('job submit', 'b', sealed)],
    ['another content', () => seal.isOurs('job submit', 'a', { ...sealed, verdict: { risk: 100 } })],
    ['one field more', () => seal.isOurs('job submit', 'a', { ...sealed, more: null })],
    ['no code', () => seal.isOurs('job submit', 'a', job)],
    ['a short code', () => seal.isOurs('job submit', 'a', { ...job, seal: String(sealed.seal).slice(0, 22) })],
    ['an empty code', () => seal.isOurs('job submit', 'a', { ...job, seal: '' })],
    ['another secret', () => new FleetSeal('another one').isOurs('job submit', 'a', sealed)],
    ['a list', () => seal.isOurs('job submit', 'a', [])],
    ['nesting that nothing can write down', () => seal.isOurs('job submit', 'a', { seal: 'x', deep: nested(100_000) })],
  ])('is invalid for %s', (_, holds) => {
    expect(holds()).toBe(false)
  })

  it('identifies secrets by a fingerprint that is none of them', () => {
    expect(seal.fingerprint).toMatch(/^[0-9a-f]{12}$/)
    expect(seal.fingerprint).not.toBe(new FleetSeal('another one').fingerprint)
  })
})

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let nth = 0; nth < depth; nth++) value = [value]
  return value
}

import type { Chance } from './chance.js'

/** Values that a reader of JSON may not expect, made anew each time. */
const ODD: readonly ((chance: Chance) => unknown)[] = [
  () => null,
  () => true,
  () => '',
  () => [],
  () => ({}),
  (chance) => chance.pick([-1, 0, 0.5, 1e21, 2 ** 53, -0, 1e308, 4e9]),
  (chance) => chance.pick(['0', '-1', '0x', '1e9', 'NaN', '__proto__', 'constructor', 'toString']),
  (chance) =>
    chance.pick(['\u0000', '\u001b[2J', '\u202e', '\ud800', '\u2028', '../../etc/passwd', 'ipfs://', 'javascript:1']),
  (chance) => 'a'.repeat(1 + chance.below(70_000)),
  (chance) => `0x${'f'.repeat(chance.below(300))}`,
  (chance) => '9'.repeat(1 + chance.below(200)),
  (chance) => nested(1 + chance.below(3000)),
  (chance) => Array.from({ length: chance.below(2000) }, (_, at) => at),
  (chance) => Object.fromEntries(Array.from({ length: chance.below(500) }, (_, at) => [`k${at}`, at])),
]

function nested(depth: number): unknown {
  let value: unknown = []
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** JSON data with some of its values replaced, left out, doubled or renamed; `extra` may take any value's place. */
export function mutatedJson(value: unknown, chance: Chance, extra: readonly unknown[] = []): unknown {
  const share = chance.pick([0.02, 0.1, 0.3])
  const odd = () => (extra.length > 0 && chance.happens(0.1) ? chance.pick(extra) : chance.pick(ODD)(chance))
  const walk = (each: unknown): unknown => {
    if (chance.happens(share)) return odd()
    if (Array.isArray(each)) return each.flatMap((one) => (chance.happens(share) ? [one, walk(one)] : [walk(one)]))
    if (typeof each !== 'object' || each === null) return each
    const entries = Object.entries(each).flatMap(([key, one]): [string, unknown][] => {
      if (chance.happens(share / 2)) return []
      return [[chance.happens(share / 2) ? String(odd()).slice(0, 200) : key, walk(one)]]
    })
    return Object.fromEntries(entries)
  }
  return walk(value)
}

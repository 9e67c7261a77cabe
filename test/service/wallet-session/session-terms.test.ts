import { expect, it } from 'vitest'
import { termsOf } from '../../../src/service/wallet-session/session-terms.js'

const now = 1_767_225_600_000
it.each<[string, number, { renewAt: number; endsAt: number }]>([
  ['an hour', 3_600, { renewAt: 5_000 + 3_539_000, endsAt: 5_000 + 3_599_000 }],
  ['a minute', 60, { renewAt: 5_000 + 47_200, endsAt: 5_000 + 59_000 }],
  ['a second and a half', 1.5, { renewAt: 6_000, endsAt: 6_000 }],
  ['no time', 0, { renewAt: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY }],
  ['time that has passed', -60, { renewAt: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY }],
])('the terms of a session of %s', (_, lifeS, expected) => {
  expect(termsOf({ expiresAt: now / 1000 + lifeS }, 5_000, now)).toEqual({ openedAt: 5_000, ...expected })
})

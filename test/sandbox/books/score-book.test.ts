import { describe, expect, it } from 'vitest'
import {
  type DuplicateScorePolicy,
  ScoreBook,
  type ScoreInput,
  type ScoreRecord,
} from '../../../src/sandbox/books/score-book.js'

const NOW = 1000
const input = (risk: number, attester = '0xa', assetId = 'one'): ScoreInput => ({
  assetId,
  attesterAddress: attester,
  deepfakeRiskScore: risk,
  algorithm: 'x',
  notes: '',
})
const newBook = (policy: DuplicateScorePolicy = 'reject', kept: ScoreRecord[] = []) =>
  new ScoreBook({ now: () => NOW, policy, kept })

describe('a second score', () => {
  it.each<[DuplicateScorePolicy, number, string, boolean]>([
    ['idempotent', 10, 'same', false],
    ['idempotent', 11, 'conflict', false],
    ['reject', 10, 'conflict', false],
    ['store', 10, 'stored', true],
  ])('under %s of risk %i: %s', (policy, risk, outcome, isNew) => {
    const book = newBook(policy)
    const first = book.record(input(10)).score
    expect(book.isNew(input(risk))).toBe(isNew)
    const second = book.record(input(risk))
    expect(second.outcome).toBe(outcome)
    expect(second.score === first).toBe(!isNew)
    expect(book.ofAsset('one')).toHaveLength(isNew ? 2 : 1)
  })

  it('means one of the same attester for the same asset only', () => {
    const book = newBook()
    book.record(input(10))
    for (const other of [input(10, '0xb'), input(10, '0xa', 'two')]) {
      expect(book.isNew(other)).toBe(true)
      expect(book.record(other).outcome).toBe('stored')
    }
  })

  it('is compared with the last one where each is stored', () => {
    const book = newBook('store')
    for (const risk of [10, 20]) book.record(input(risk))
    book.record(input(30, '0xb'))
    expect(book.latestOf('one', '0xa')?.deepfakeRiskScore).toBe(20)
    expect(book.latestOf('one', '0xc')).toBeNull()
  })
})

describe('the ids of scores', () => {
  it('depend on asset, attester and the number of scores before', () => {
    const ids = (...inputs: ScoreInput[]) => {
      const book = newBook('store')
      return inputs.map((each) => book.record(each).score.id)
    }
    expect(ids(input(1), input(2))).toEqual(ids(input(3), input(4)))
    const all = [...ids(input(1), input(1)), ...ids(input(1, '0xb')), ...ids(input(1, '0xa', 'two'))]
    expect(new Set(all).size).toBe(4)
    expect(all[0]).toMatch(/^scr_[0-9a-f]{20}$/)
  })

  it('continue after those of an earlier run', () => {
    const before = newBook('store')
    const first = before.record(input(1)).score
    const second = before.record(input(2)).score
    const book = newBook('store', [first])
    expect(book.record(input(2)).score.id).toBe(second.id)
    expect(book.all().map(({ id }) => id)).toEqual([first.id, second.id])
  })
})

describe('the aggregate of an asset', () => {
  it('is empty before the first score', () => {
    expect(newBook().aggregateOf('one')).toEqual({
      scoreCount: 0,
      meanRiskScore: null,
      minRiskScore: null,
      maxRiskScore: null,
    })
  })

  it('counts all attesters of this asset, including a risk of 0', () => {
    const book = newBook()
    for (const [nth, risk] of [40, 0, 20].entries()) book.record(input(risk, `0x${nth}`))
    book.record(input(100, '0xa', 'two'))
    expect(book.aggregateOf('one')).toEqual({ scoreCount: 3, meanRiskScore: 20, minRiskScore: 0, maxRiskScore: 40 })
  })
})

it('attempts are kept in order, pending until their outcome is set, and dropped with the scores', () => {
  const book = newBook()
  const attempt = {
    assetId: 'one',
    attesterAddress: '0xa',
    accessKey: null,
    attempt: 1,
    deepfakeRiskScore: 1,
    fault: null,
  }
  const entry = book.begin(attempt)
  book.begin({ ...attempt, attempt: 2 })
  entry.outcome = 'stored'
  book.record(input(1))
  expect(book.attempts().map((each) => [each.at, each.attempt, each.outcome])).toEqual([
    [NOW, 1, 'stored'],
    [NOW, 2, 'pending'],
  ])
  book.clear()
  expect([book.attempts(), book.all(), book.latestOf('one', '0xa')]).toEqual([[], [], null])
})

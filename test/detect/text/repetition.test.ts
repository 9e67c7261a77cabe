import { expect, it } from 'vitest'
import { newCharacters, refuseMarksAlone, refuseRepetition } from '../../../src/detect/text/repetition.js'
import { withReason } from '../../support/with-reason.js'

const LEAST = 180
const SENTENCE = 'The ferry to the island leaves at half past nine. '
const PROSE =
  'The ferry to the island leaves at half past nine, and whoever misses it has to wait until the evening, when the ' +
  'mail boat goes over with the bread and, in summer, with a few guests who booked a room above the harbor.'

it.each([
  ['one character', 'a'.repeat(500)],
  ['one word', 'hello '.repeat(100)],
  ['one sentence', SENTENCE.repeat(20)],
  ['two sentences by turns', `${SENTENCE}Bring a coat. `.repeat(20)],
  ['one sentence in changing case', (SENTENCE + SENTENCE.toUpperCase()).repeat(10)],
  ['one word without spaces, in another script', '早上好'.repeat(100)],
])('finds nothing to judge in %s repeated', (_, text) => {
  expect(() => refuseRepetition(text.trim(), LEAST)).toThrow(withReason('media-featureless'))
})

it('accepts prose, also with a refrain', () => {
  expect(() => refuseRepetition(PROSE, LEAST)).not.toThrow()
  expect(() => refuseRepetition(PROSE + SENTENCE.repeat(30), LEAST)).not.toThrow()
  expect(() => refuseRepetition('', LEAST)).not.toThrow()
})

it('distinguishes marks alone from words', () => {
  expect(() => refuseMarksAlone('. , ; - ! ? '.repeat(30))).toThrow(withReason('media-featureless'))
  expect(() => refuseMarksAlone(PROSE)).not.toThrow()
  expect(() => refuseMarksAlone('')).not.toThrow()
})

it('counts new parts, and stops once there are enough', () => {
  expect(newCharacters('abcdefghij')).toBe(10)
  expect(newCharacters('abcdefgh'.repeat(4))).toBe(15)
  expect(newCharacters(PROSE, 50)).toBe(50)
})

import { expect, it } from 'vitest'
import { partText } from '../../../src/cli/models/part-text.js'

it.each([
  [{ shadow: false, weight: 1 }, 'scores, weight 1'],
  [{ shadow: true, weight: 1 }, 'shadow'],
  [{ shadow: true, weight: 1, unlisted: true }, 'shadow, not in the list'],
  [{ shadow: false, weight: 1, canary: 10 }, 'canary, 10 % of the assets'],
  [{ shadow: true, weight: 1, canary: 1 }, 'canary, 1 % of the assets'],
])('the part of %j reads %s', (part, text) => {
  expect(partText(part)).toBe(text)
})

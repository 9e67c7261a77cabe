import { describe, expect, it } from 'vitest'
import { partInScores } from '../../../src/detect/package/selection.js'

describe('partInScores', () => {
  const manifest = { weight: 2, shadow: true }
  it.each([
    [{ id: 'a' }, { weight: 2, shadow: true }],
    [
      { id: 'a', weight: 5 },
      { weight: 5, shadow: false },
    ],
    [
      { id: 'a', weight: 5, shadow: true },
      { weight: 5, shadow: true },
    ],
    [
      { id: 'a', shadow: false },
      { weight: 2, shadow: false },
    ],
    [
      { id: 'a', canary: 10 },
      { weight: 2, shadow: false, canary: 10 },
    ],
  ])("%j: the operator's word counts before that of the package", (choice, part) => {
    expect(partInScores(choice, manifest)).toEqual(part)
  })
})

import { describe, expect, it } from 'vitest'
import { FOLDS, foldsByGroup } from '../../../src/lab/calibrate/folds.js'

describe('folds', () => {
  it('are the same for any order of the rows, and not in the order of names', () => {
    const groups = Array.from({ length: 50 }, (_, index) => `source ${index}`)
    const folds = foldsByGroup(groups)
    const ofReversed = foldsByGroup(groups.toReversed()).toReversed()
    expect(ofReversed).toEqual(folds)
    expect(folds.slice(0, 10)).not.toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
    for (let fold = 0; fold < FOLDS; fold++) expect(folds.filter((each) => each === fold)).toHaveLength(10)
  })

  it('split no group', () => {
    const groups = Array.from({ length: 100 }, (_, index) => `group ${index % 12}`)
    const folds = foldsByGroup(groups)
    for (const group of groups) expect(new Set(folds.filter((_, index) => groups[index] === group)).size).toBe(1)
  })

  it('of a large group and small ones leave the large one alone', () => {
    const groups = [
      ...Array.from({ length: 100 }, () => 'large'),
      ...Array.from({ length: 40 }, (_, nth) => `small ${nth}`),
    ]
    const folds = foldsByGroup(groups)
    expect(folds.slice(100)).not.toContain(folds[0])
  })

  it('of fewer groups than folds leave folds empty, and without groups there are none', () => {
    expect(new Set(foldsByGroup(['a', 'b', 'a'])).size).toBe(2)
    expect(foldsByGroup([])).toEqual([])
  })
})

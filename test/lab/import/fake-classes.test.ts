import { describe, expect, it } from 'vitest'
import { findFakeClasses } from '../../../src/lab/import/fake-classes.js'

describe('the classes that are fake', () => {
  it('are the labels that a person names, as they are written', () => {
    const config = { id2label: { 0: 'A', 1: 'B', 2: 'C' } }
    expect(findFakeClasses(config, ['C', 'A']).fake).toEqual([0, 2])
    expect(() => findFakeClasses(config, ['a'])).toThrow(/no label "a"; there are: "A", "B", "C"/)
    expect(() => findFakeClasses(config, ['A', 'B', 'C'])).toThrow(/Every label/)
    expect(() => findFakeClasses(config, null)).toThrow(/None of the labels/)
    expect(() => findFakeClasses({ id2label: { 0: 'fake', 1: 'ai' } }, null)).toThrow(/Every label/)
  })
})

import { describe, expect, it } from 'vitest'
import { findFakeClasses } from '../../../src/lab/import/fake-classes.js'

describe('the fake classes', () => {
  it('are the labels that a person names, spelled as in the export', () => {
    const config = { id2label: { 0: 'A', 1: 'B', 2: 'C' } }
    expect(findFakeClasses(config, ['C', 'A']).fake).toEqual([0, 2])
    expect(() => findFakeClasses(config, ['a'])).toThrow(/no label "a"; there are: "A", "B", "C"/)
    expect(() => findFakeClasses(config, ['A', 'B', 'C'])).toThrow(/Every label/)
    expect(() => findFakeClasses(config, null)).toThrow(/None of the labels/)
    expect(() => findFakeClasses({ id2label: { 0: 'fake', 1: 'ai' } }, null)).toThrow(/Every label/)
  })

  it.each([
    [['Real', 'Fake'], ['Fake']],
    [['REAL_IMAGE', 'AI_GENERATED'], ['AI_GENERATED']],
    [['artificial', 'human'], ['artificial']],
    [['hum', 'aiGenerated'], ['aiGenerated']],
    [['bonafide', 'spoof'], ['spoof']],
    [
      ['not fake', 'deepfake', 'synthetic voice'],
      ['deepfake', 'synthetic voice'],
    ],
    [['Human-written', 'Machine-generated'], ['Machine-generated']],
    [['aid', 'fakery', 'fake'], ['fake']],
  ])('of %j are %j', (labels, expected) => {
    const { fake } = findFakeClasses({ id2label: Object.fromEntries(labels.entries()) }, null)
    expect(fake.map((index) => labels[index])).toEqual(expected)
  })

  it('are asked for where no word means fake, or only a negated one', () => {
    expect(() => findFakeClasses({ id2label: { 0: 'LABEL_0', 1: 'LABEL_1' } }, null)).toThrow(/--fake-label/)
    expect(() => findFakeClasses({ id2label: { 0: 'not AI', 1: 'human' } }, null)).toThrow(/None of the labels/)
  })

  it('are not compared with the others where each has a sigmoid of its own', () => {
    const config = { id2label: { 0: 'real', 1: 'fake' }, problem_type: 'multi_label_classification' }
    expect(() => findFakeClasses(config, null)).toThrow(/multi_label_classification/)
    expect(findFakeClasses({ ...config, id2label: { 0: 'fake' } }, null).fake).toEqual([0])
  })

  it('are their numbers', () => {
    expect(() => findFakeClasses({ id2label: { 0: 'real', 2: 'fake' } }, null)).toThrow(/names no class 1/)
    expect(() => findFakeClasses({}, null)).toThrow(/names no class/)
  })

  it('are the only one of a network with one logit, if that means fake', () => {
    expect(findFakeClasses({ id2label: { 0: 'fake' } }, null)).toEqual({ labels: ['fake'], fake: [0] })
    expect(findFakeClasses({ id2label: { 0: 'LABEL_0' } }, ['LABEL_0']).fake).toEqual([0])
    expect(() => findFakeClasses({ id2label: { 0: 'LABEL_0' } }, null)).toThrow(/name the one that does/)
  })
})

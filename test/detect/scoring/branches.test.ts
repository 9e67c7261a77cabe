import { describe, expect, it } from 'vitest'
import { type BranchPart, combineBranches } from '../../../src/detect/scoring/branches.js'

const crop = (rawScore: number): BranchPart => ({ name: 'crop', rawScore })
const face = (rawScore: number): BranchPart => ({ name: 'face', rawScore, branch: 'face' })

describe('combineBranches', () => {
  it.each([
    ['max', [crop(1), crop(3), face(-5), face(4)], 4],
    ['max', [crop(1), crop(3), face(-5)], 2],
    ['mean', [crop(1), crop(3), face(-5), face(4)], 3],
    ['report', [crop(1), crop(3), face(4)], 2],
    ['max', [crop(1), crop(3)], 2],
  ] as const)('%s of %o', (combine, parts, logit) => expect(combineBranches(parts, 'mean', combine)).toBe(logit))

  it('takes crops as ever where there is no plan for faces', () => {
    expect(combineBranches([crop(1), crop(3)], 'max')).toBe(3)
  })

  it('refuses a picture without crops', () => {
    expect(() => combineBranches([face(1)], 'mean', 'max')).toThrow(
      expect.objectContaining({ reason: 'detector-failed' }),
    )
  })
})

import { expect, it } from 'vitest'
import { detectionLines } from '../../src/cli/score.js'
import { asRisk } from '../../src/core/risk.js'
import { storableDetection } from '../support/pipeline-parts.js'

const detection = storableDetection({ risk: asRisk(0.71224), notes: 'jpeg 10x10' })

it('is two lines without remarks', () => {
  expect(detectionLines(detection)).toEqual(['risk 71.22 of 100', 'd@1.0.0: jpeg 10x10'])
})

it('names the expected share where it is not one half', () => {
  expect(detectionLines({ ...detection, expectedShare: 0.1 })[0]).toBe(
    'risk 71.22 of 100; risks for 10 % machine-made media (ATTESTD_EXPECTED_SHARE)',
  )
})

it('shows doubt, the highest parts, the re-encodings and the evidence in the file', () => {
  const part = (name: string, risk: number) => ({ name, risk: asRisk(risk) })
  const lines = detectionLines({
    ...detection,
    unsure: true,
    unsureBecause: 'flip',
    parts: [part('face 1', 0.9), part('center', 0.8), part('top left', 0.7), part('top right', 0.6)],
    variants: [part('JPEG quality 80', 0.4), part('75 % size', 0.7)],
    evidence: [{ kind: 'exif', text: 'exif Software "x"' }],
  })
  expect(lines).toEqual([
    'risk 71.22 of 100',
    'unsure: it depends on how the file is read: 40.0 as JPEG quality 80; the default policy abstains',
    'd@1.0.0: jpeg 10x10',
    'highest parts: face 1 90.0, center 80.0, top left 70.0',
    're-encoded: JPEG quality 80 40.0, 75 % size 70.0',
    'the file states: exif Software "x"',
    'What a file states about itself can be forged; it does not affect the risk.',
  ])
})

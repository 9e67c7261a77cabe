import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { Detection, DetectorHost } from '../../../src/detect/detection.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { writeFacePackage } from '../../support/detector-faces.js'

const PORTRAIT = packagePath('src', 'sandbox', 'samples', 'astronaut.jpg')
const FACE = /^face 1 \(\d+,\d+ \d+x\d+\)$/

/** The portrait and a cup, scored with faces combined in one way. */
async function scored(combine: 'max' | 'mean' | 'report'): Promise<{ portrait: Detection; cup: Detection }> {
  const bench = await DetectorBench.create()
  try {
    await writeFacePackage(bench.modelsDir, { combine })
    const host: DetectorHost = await bench.start()
    const detect = (file: string) => host.detect({ file, mediaType: 'image' })
    return { portrait: await detect(PORTRAIT), cup: await detect(path.join(PORTRAIT, '..', 'coffee.jpg')) }
  } finally {
    await bench.dispose()
  }
}

describe('a package with a plan for faces', () => {
  let max: Awaited<ReturnType<typeof scored>>
  let report: Awaited<ReturnType<typeof scored>>
  beforeAll(async () => {
    max = await scored('max')
    report = await scored('report')
  })

  it('tells the face and its place', () => {
    expect(max.portrait.notes).toMatch(/^jpeg 512x512, 1 face; 6 parts, /)
    expect(report.portrait.parts.filter(({ name }) => FACE.test(name))).toHaveLength(1)
  })

  it('takes the worst of face and picture, or only tells the face', () => {
    const face = max.portrait.parts.find(({ name }) => FACE.test(name))
    expect(max.portrait.risk).toBe(Math.max(face?.risk ?? 0, report.portrait.risk))
    expect(report.portrait.risk).not.toBe(face?.risk)
  })

  it('scores a picture without faces as ever', () => {
    expect(max.cup.risk).toBe(report.cup.risk)
    expect(max.cup.notes).toMatch(/^jpeg 600x400; 5 parts, /)
  })
})

import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { DetectorBench } from '../../support/detector-bench.js'
import { writeModulePackage } from '../../support/other-packages.js'
import { withReason } from '../../support/with-reason.js'

const text = (file: string) => ({ file, mediaType: 'text' as const })

/** Length of the file in hundreds, less the weight of a helper: 3 for the sample. */
const MAIN = `
import fs from 'node:fs/promises'
import { LESS } from './helper.mjs'
export function createDetector({ folder, manifest }) {
  if (manifest.id !== 'by-module' || !folder.endsWith('by-module')) throw new Error('wrong options')
  return {
    async measure(file) {
      const { length } = await fs.readFile(file, 'utf8')
      if (length < 100) throw Object.assign(new Error('too short'), { reason: 'media-too-small' })
      if (length === 666) throw Object.assign(new Error('broken'), { reason: 'stake-low' })
      return { logit: length / 100 - LESS, notes: 'line one\\nline two', parts: [{ name: 'a', logit: 1 }, { name: 'b', logit: 2 }] }
    },
  }
}`
const HELPER = 'export const LESS = 0'

const bench = DetectorBench.forEach()

describe('a module', () => {
  it('scores a file in the detector process', async () => {
    await writeModulePackage(bench.modelsDir, { 'main.mjs': MAIN, 'helper.mjs': HELPER })
    const host = await bench.start()
    const detection = await host.detect(text(await bench.write('a.txt', 'y'.repeat(150))))
    expect(detection).toMatchObject({ detectorId: 'by-module', rawScore: 1.5, parts: [{ name: 'b' }, { name: 'a' }] })
    expect(detection.notes).toBe('line one line two')
  })

  it('may abstain by a reason of media, and fails by any other', async () => {
    await writeModulePackage(bench.modelsDir, { 'main.mjs': MAIN, 'helper.mjs': HELPER })
    const host = await bench.start()
    await expect(host.detect(text(await bench.write('short.txt', 'short')))).rejects.toMatchObject({
      reason: 'media-too-small',
      message: 'too short',
    })
    await expect(host.detect(text(await bench.write('broken.txt', 'z'.repeat(666))))).rejects.toMatchObject({
      reason: 'detector-failed',
      message: 'broken (thrown by the module of by-module)',
    })
  })

  it.each<[string, string, string, RegExp]>([
    ['throws', 'throw new Error("no luck")', 'manifest-invalid', /main.mjs of by-module cannot be used: no luck/],
    ['does not parse', 'export {', 'manifest-invalid', /cannot be used/],
    ['exports nothing', 'export {}', 'manifest-invalid', /createDetector/],
    ['makes nothing', 'export const createDetector = () => null', 'manifest-invalid', /cannot be used/],
    ['makes no measure', 'export const createDetector = () => ({})', 'manifest-invalid', /measure/],
    ['imports what is not there', 'import "./absent.mjs"', 'manifest-invalid', /absent/],
    ...(
      [
        ['a word', '"high"', /malformed result/],
        ['nothing', 'undefined', /malformed result/],
        ['no number', '{ logit: NaN }', /malformed result/],
        ['another kind of output', '{ probability: 0.5 }', /must return a logit, as its manifest states/],
        ['two kinds of output', '{ logit: 1, probability: 0.5 }', /and nothing else/],
        ['a field more', '{ logit: 3, risk: 1 }', /malformed result/],
      ] as const
    ).map(([what, result, message]): [string, string, string, RegExp] => [
      `measures ${what}`,
      `export const createDetector = () => ({ measure: () => (${result}) })`,
      'detector-self-test-failed',
      message,
    ]),
  ])('that %s is refused at the start', async (_, source, reason, message) => {
    await writeModulePackage(bench.modelsDir, { 'main.mjs': source })
    await expect(bench.start()).rejects.toThrow(withReason(reason, message))
  })

  it('is refused with a file in its folder that the manifest does not list', async () => {
    const folder = await writeModulePackage(bench.modelsDir, { 'main.mjs': MAIN })
    await fs.writeFile(path.join(folder, 'helper.mjs'), HELPER)
    await expect(bench.start()).rejects.toThrow(withReason('manifest-invalid', /must list helper\.mjs/))
    await writeModulePackage(bench.modelsDir, { 'main.mjs': MAIN, 'helper.mjs': HELPER })
    await fs.mkdir(path.join(folder, 'evaluation'))
    for (const name of ['card.md', 'evaluation/eval.json']) await fs.writeFile(path.join(folder, name), '{}')
    await bench.start()
    await fs.symlink('/tmp', path.join(folder, 'node_modules'))
    await expect(bench.start()).rejects.toMatchObject({ message: expect.stringMatching(/must list node_modules/) })
  })

  it('is not imported by a process that starts after one of its files has changed', async () => {
    const folder = await writeModulePackage(bench.modelsDir, { 'main.mjs': MAIN, 'helper.mjs': HELPER })
    const host = await bench.start({ jobsPerChild: 1 })
    await fs.writeFile(path.join(folder, 'helper.mjs'), 'export const LESS = 1')
    const failed = bench.next('child-start-failed')
    await host.detect(text(path.join(folder, 'sample.txt')))
    expect(await failed).toMatchObject({ reason: 'model-digest-mismatch' })
    expect(await host.detect(text(path.join(folder, 'sample.txt')))).toMatchObject({ rawScore: 3 })
  })
})

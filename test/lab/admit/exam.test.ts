import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Admission,
  readAdmission,
  requireAdmitted,
  withdrawAdmission,
  writeAdmission,
} from '../../../src/lab/admit/admission-record.js'
import { type Examined, examine } from '../../../src/lab/admit/exam.js'
import { needsData, parseThresholds, type Thresholds } from '../../../src/lab/admit/thresholds.js'
import type { Evaluation } from '../../../src/lab/evaluate/evaluation.js'
import { folderForEach } from '../../support/temporary-folder.js'

const MIB = 1024 * 1024

/** What an exam looks at of an evaluation. */
function examined(change: { all?: object; data?: object; sure?: object } = {}): Examined {
  const value = (figure: number | null) => ({ value: figure, interval: null })
  const all = {
    real: 60,
    fake: 40,
    auc: value(0.8),
    tprAt5: value(0.5),
    tprAt1: value(0.3),
    realFlagged: value(0.1),
    ece: value(0.05),
    ...change.all,
  }
  const evaluation = { all, data: { rows: 100, ...change.data }, sure: { rows: 75, ...change.sure } } as Evaluation
  return { packageLicenses: ['Apache-2.0'], sample: { medianMs: 120, rssBytes: 300 * MIB }, evaluation }
}

describe('an admission test', () => {
  it.each<[string, Thresholds, Thresholds]>([
    ['AUC', { minAuc: 0.8 }, { minAuc: 0.800001 }],
    ['TPR at 5 %', { minTprAt5: 0.5 }, { minTprAt5: 0.51 }],
    ['TPR at 1 %', { minTprAt1: 0.3 }, { minTprAt1: 0.31 }],
    ['the share of flagged real files', { maxFpr: 0.1 }, { maxFpr: 0.0999 }],
    ['the calibration error', { maxEce: 0.05 }, { maxEce: 0.0499 }],
    ['rows without a verdict', { maxAbstainRate: 0.25 }, { maxAbstainRate: 0.24 }],
    ['rows of the rarer class', { minRows: 40 }, { minRows: 41 }],
    ['latency', { maxLatencyMs: 120 }, { maxLatencyMs: 119 }],
    ['memory in MiB', { maxMemoryMb: 300 }, { maxMemoryMb: 299 }],
  ])('by %s: exactly enough passes, a little more fails', (_, enough, tooMuch) => {
    expect(examine(enough, examined())).toMatchObject([{ passed: true }])
    expect(examine(tooMuch, examined())).toMatchObject([{ passed: false }])
  })

  it.each([
    ['apache-2.0', true],
    [' APACHE-2.0 ', true],
    ['MIT', false],
    ['Apache', false],
  ])('by license: %j allows Apache-2.0: %s', (license, passed) => {
    expect(examine({ licenses: ['BSD-3-Clause', license] }, examined())).toEqual([
      { threshold: 'licenses', wanted: `one of BSD-3-Clause | ${license}`, measured: 'Apache-2.0', passed },
    ])
  })

  it.each([
    [['MIT', 'Apache-2.0'], true],
    [['MIT'], false],
    [['Apache-2.0'], false],
  ])('by license: %j for a package that uses another', (licenses, passed) => {
    const packageLicenses = ['MIT', 'Apache-2.0']
    expect(examine({ licenses }, { ...examined(), packageLicenses })).toMatchObject([
      { measured: 'MIT | Apache-2.0', passed },
    ])
  })

  it('checks the given thresholds only, in its own order', () => {
    const rows = examine({ maxMemoryMb: 1, minAuc: 0.5, minRows: 1 }, examined())
    expect(rows.map(({ threshold }) => threshold)).toEqual(['minAuc', 'minRows', 'maxMemoryMb'])
    expect(examine({}, examined())).toEqual([])
  })

  it('fails where something could not be measured', () => {
    const oneClass = examined({ all: { auc: { value: null, interval: null }, fake: 0 } })
    expect(examine({ minAuc: 0, minRows: 1 }, oneClass)).toEqual([
      { threshold: 'minAuc', wanted: 'at least 0', measured: null, passed: false },
      { threshold: 'minRows', wanted: 'at least 1', measured: 0, passed: false },
    ])
    const none = examined({ data: { rows: 0 }, sure: { rows: 0 } })
    expect(examine({ maxAbstainRate: 1 }, none)).toMatchObject([{ measured: null, passed: false }])
    const without = { ...examined(), evaluation: null }
    for (const asked of [{ minAuc: 0 }, { maxFpr: 1 }, { maxAbstainRate: 1 }, { minRows: 1 }])
      expect(examine(asked, without)).toMatchObject([{ measured: null, passed: false }])
  })

  it.each<[Thresholds, boolean]>([
    [{}, false],
    [{ maxLatencyMs: 1, maxMemoryMb: 1, licenses: ['MIT'] }, false],
    [{ minAuc: 0 }, true],
    [{ minTprAt5: 0 }, true],
    [{ minTprAt1: 0 }, true],
    [{ maxFpr: 0 }, true],
    [{ maxEce: 0 }, true],
    [{ maxAbstainRate: 0 }, true],
    [{ minRows: 1 }, true],
  ])('of %j needs labeled data: %s', (thresholds, expected) => {
    expect(needsData(thresholds)).toBe(expected)
  })
})

describe('the thresholds of a file', () => {
  it.each([
    ['minAuc: 0', true],
    ['minAuc: 1', true],
    ['minAuc: 1.01', false],
    ['minAuc: -0.01', false],
    ['minAuc: "0.8"', false],
    ['minRows: 1', true],
    ['minRows: 0', false],
    ['minRows: 2.5', false],
    ['maxLatencyMs: 0', false],
    ['maxMemoryMb: 0.5', true],
    ['licenses: []', false],
    ['licenses: [""]', false],
    ['licenses: MIT', false],
    ['[1, 2]', false],
    ['just words', false],
    ['# a comment alone', false],
  ])('%j is accepted: %s', (text, taken) => {
    const ask = () => parseThresholds(text, {}, 'x.yaml')
    if (taken) expect(ask).not.toThrow()
    else expect(ask).toThrow(expect.objectContaining({ reason: 'setting-invalid' }))
  })

  it('are overridden by flags', () => {
    const text = 'minAuc: 0.8\nlicenses: [MIT]\n'
    expect(parseThresholds(text, { minAuc: 0.9 }, 'x.yaml')).toEqual({ minAuc: 0.9, licenses: ['MIT'] })
  })

  it('are refused by their type', () => {
    expect(() => parseThresholds('a: [', {}, 'x.yaml')).toThrow(/is not YAML/)
    expect(() => parseThresholds('', {}, 'x.yaml')).toThrow(/No threshold is stated/)
  })

  it('may be empty where a flag gives one', () => {
    expect(parseThresholds('', { minAuc: 0.7 }, 'x.yaml')).toEqual({ minAuc: 0.7 })
    expect(parseThresholds(null, { minAuc: 0.7 }, 'x.yaml')).toEqual({ minAuc: 0.7 })
  })

  it('are refused with every wrong line, by its name', () => {
    expect(() => parseThresholds('minAuc: 8\nmaxFpr: -1\nminAUC: 1', {}, 'x.yaml')).toThrow(
      /x\.yaml is not accepted:\n {2}minAuc: .*\n {2}maxFpr: .*\n {2}\(top level\): .*minAUC/,
    )
  })
})

describe('the record of an admission', () => {
  const folder = path.join(folderForEach(), 'admissions')

  const digestOf = (letter: string) => letter.repeat(64)
  const admission = (digest: string, id = 'tiny'): Admission => ({
    schema: 1,
    id,
    version: '1.0.0',
    digest,
    admittedAt: '2026-11-22T00:00:00.000Z',
    attestd: '0.1.0',
    command: 'attestd models admit tiny',
    thresholds: { minAuc: 0.8 },
    figures: [{ threshold: 'minAuc', wanted: 'at least 0.8', measured: 0.9, passed: true }],
    data: null,
  })
  const identity = (digest: string, id = 'tiny') => ({ digest, manifest: { id, version: '1.0.0' } })

  it('is read as it was written, by its owner only', async () => {
    const file = await writeAdmission(folder, admission(digestOf('a')))
    expect(await readAdmission(folder, digestOf('a'))).toEqual(admission(digestOf('a')))
    expect(((await fs.stat(folder)).mode & 0o777).toString(8)).toBe('700')
    expect(((await fs.stat(file)).mode & 0o777).toString(8)).toBe('600')
    await requireAdmitted([identity(digestOf('a'))], folder)
  })

  it('replaces an earlier one', async () => {
    await writeAdmission(folder, admission(digestOf('a')))
    await writeAdmission(folder, { ...admission(digestOf('a')), admittedAt: 'later' })
    expect((await readAdmission(folder, digestOf('a')))?.admittedAt).toBe('later')
    expect(await fs.readdir(folder)).toHaveLength(1)
  })

  it('with a failed figure is never written', async () => {
    const failed = {
      ...admission(digestOf('a')),
      figures: [{ threshold: 'minAuc', wanted: '', measured: 0, passed: false }],
    }
    await expect(writeAdmission(folder, failed as unknown as Admission)).rejects.toThrow()
    expect(await readAdmission(folder, digestOf('a'))).toBeNull()
  })

  it('is not written into a folder behind a link', async () => {
    const elsewhere = `${folder}-elsewhere`
    await fs.mkdir(elsewhere)
    await fs.rm(folder, { recursive: true, force: true })
    await fs.symlink(elsewhere, folder)
    await expect(writeAdmission(folder, admission(digestOf('a')))).rejects.toMatchObject({
      reason: 'data-dir-unusable',
    })
    expect(await fs.readdir(elsewhere)).toEqual([])
    await fs.rm(elsewhere, { recursive: true })
  })

  it('is valid for one package only: each of several needs its own', async () => {
    await writeAdmission(folder, admission(digestOf('a')))
    await requireAdmitted([], folder)
    const two = [identity(digestOf('a')), identity(digestOf('b'), 'other')]
    await expect(requireAdmitted(two, folder)).rejects.toMatchObject({
      reason: 'detector-not-admitted',
      message: `The detector other@1.0.0 (digest ${'b'.repeat(12)}) has no admission in ${folder}.`,
    })
    await expect(requireAdmitted([identity(digestOf('a'), 'other')], folder)).rejects.toMatchObject({
      reason: 'detector-not-admitted',
    })
  })

  it('copied to the name of another digest is not accepted', async () => {
    await writeAdmission(folder, admission(digestOf('a')))
    await fs.copyFile(path.join(folder, `${digestOf('a')}.json`), path.join(folder, `${digestOf('b')}.json`))
    expect(await readAdmission(folder, digestOf('b'))).toBeNull()
  })

  it('can be withdrawn once', async () => {
    expect(await withdrawAdmission(folder, digestOf('a'))).toBe(false)
    await writeAdmission(folder, admission(digestOf('a')))
    expect(await withdrawAdmission(folder, digestOf('a'))).toBe(true)
    expect(await readAdmission(folder, digestOf('a'))).toBeNull()
    expect(await withdrawAdmission(folder, digestOf('a'))).toBe(false)
  })
})

import os from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { numberFlag } from '../../../src/cli/flags/numbers.js'
import { dataOptions, priorFlag } from '../../../src/cli/models/lab-flags.js'

const invalid = expect.objectContaining({ reason: 'argument-invalid' })

describe('a number of a flag', () => {
  it.each([
    [undefined, null],
    ['0.5', 0.5],
    ['0', 0],
    ['1', 1],
    ['1e-1', 0.1],
  ])('%j is %j', (text, value) => {
    expect(numberFlag('--x', text, 0, 1)).toBe(value)
  })

  it.each(['', ' ', '-0.1', '1.1', 'half', '0,5', 'NaN', 'Infinity'])('%j is refused with its bounds', (text) => {
    expect(() => numberFlag('--x', text, 0, 1)).toThrow(`--x takes a number from 0 to 1, got ${JSON.stringify(text)}`)
  })

  it.each(['0', '1', '0.0009', '0.9991'])('a prior of %s leaves one class out, and is refused', (text) => {
    expect(() => priorFlag(text)).toThrow(invalid)
  })

  it('a prior may be close to either end', () => {
    expect([priorFlag('0.001'), priorFlag('0.999'), priorFlag(undefined)]).toEqual([0.001, 0.999, null])
  })
})

describe('the flags of labeled data', () => {
  it('a limit is a whole number from 1, or none', async () => {
    expect((await dataOptions({})).limit).toBeNull()
    expect(await dataOptions({ limit: '7', root: os.tmpdir() })).toMatchObject({ limit: 7, root: os.tmpdir() })
    for (const bad of ['0', '-1', '1.5', 'all', '']) await expect(dataOptions({ limit: bad })).rejects.toThrow(invalid)
  })

  it('data and root must exist', async () => {
    await expect(dataOptions({ data: '/no/such.csv' })).rejects.toThrow(
      '--data takes a file or folder: /no/such.csv does not',
    )
    await expect(dataOptions({ root: process.execPath })).rejects.toThrow(
      `--root takes a folder: ${process.execPath} is a file`,
    )
  })

  it('arguments are quoted so that a shell accepts the command again', async () => {
    const before = process.argv
    process.argv = ['node', 'main.js', 'models', 'eval', '--data', "it's mine.csv", '--by=a,b', '$(rm)']
    onTestFinished(() => {
      process.argv = before
    })
    expect((await dataOptions({})).command).toBe(`attestd models eval --data 'it'\\''s mine.csv' --by=a,b '$(rm)'`)
  })
})

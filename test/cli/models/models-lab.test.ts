import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { attestdVerb } from '../../support/attestd-verb.js'
import { labBenchForAll } from '../../support/lab-bench.js'
import { pixelClassifier } from '../../support/tiny-classifiers.js'

const bench = labBenchForAll()
let index: string
beforeAll(async () => {
  index = await bench.writePictures(
    Array.from({ length: 60 }, (_, number) => ({
      name: `${number}.png`,
      label: number % 2 === 0 ? 'fake' : 'real',
      red: ((number * 53) % 180) + (number % 2 === 0 ? 60 : 0),
      source: `source ${number % 4}`,
    })),
  )
})

const environment = () => ({ HOME: bench.folder, ATTESTD_MODELS_DIR: bench.modelsDir, ATTESTD_DETECTOR_WORKERS: '1' })

/** `attestd models ...` in the bench's folder. */
async function models(...args: string[]) {
  const before = process.cwd()
  process.chdir(bench.folder)
  try {
    return await attestdVerb(['models', ...args], environment())
  } finally {
    process.chdir(before)
  }
}

/** The same as a process, and all that it writes to standard error. */
function modelsProcess(...args: string[]) {
  const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), 'models', ...args], {
    cwd: bench.folder,
    env: { PATH: process.env.PATH, ...environment() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (text) => (err += text))
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number, err })) }
}

describe('the lab on the command line', () => {
  it('eval prints figures, shows its progress, and writes three files into --out', async () => {
    const { code, out, err } = await models('eval', 'tiny-image', '--data', index)
    expect(code).toBe(0)
    expect(err).toContain('60/60 rows')
    expect(out).toMatch(/AUC +0\.\d{3} +0\.\d{3} to/)
    expect(out).toMatch(/By source/)
    expect((await fs.readdir(path.join(bench.folder, 'eval-tiny-image'))).toSorted()).toEqual([
      'eval.json',
      'report.html',
      'scores.csv',
    ])
    const { command } = JSON.parse(await fs.readFile(path.join(bench.folder, 'eval-tiny-image', 'eval.json'), 'utf8'))
    expect(command.replaceAll("'", '')).toBe(`attestd models eval tiny-image --data ${index}`)
  })

  it('Ctrl-C exits with 75 and leaves a file from which the same command resumes and which it then removes', async () => {
    const { child, ended } = modelsProcess('eval', 'tiny-image', '--data', index, '--out', 'stopped')
    child.stderr.once('data', () => child.kill('SIGINT'))
    const { code, err } = await ended
    expect(code).toBe(75)
    expect(err).toMatch(/Interrupted after \d+ of 60 rows; the same command resumes there/)
    const folder = path.join(bench.folder, 'stopped')
    expect((await fs.readdir(folder)).filter((name) => name !== 'rows.partial.jsonl')).toEqual([])
    expect((await models('eval', 'tiny-image', '--data', index, '--out', 'stopped')).code).toBe(0)
    expect((await fs.readdir(folder)).sort()).toEqual(['eval.json', 'report.html', 'scores.csv'])
  })

  it('calibrate and compare print their findings', async () => {
    const calibrated = await models('calibrate', 'tiny-image', '--data', index, '--method', 'isotonic')
    expect(calibrated.code).toBe(0)
    expect(calibrated.out).toMatch(/calibration error +0\.\d{3} +0\.\d{3}/)
    expect(calibrated.out).toContain('Nothing was written')
    const compared = await models('compare', 'tiny-image', 'tiny-image', '--data', index)
    expect(compared).toMatchObject({
      code: 0,
      out: expect.stringContaining('These rows cannot show which of the two is better'),
    })
  })

  it('eval explains a reason, and compare reports that nothing was compared, where every row is rejected', async () => {
    for (const label of ['real', 'fake']) {
      await fs.mkdir(path.join(bench.folder, 'refused', label), { recursive: true })
      await fs.writeFile(path.join(bench.folder, 'refused', label, 'a.png'), `no picture, but ${label}\n`)
    }
    const evaluated = await models('eval', 'tiny-image', '--data', 'refused', '--out', 'of-refused')
    expect(evaluated).toMatchObject({ code: 1, out: expect.stringMatching(/ {2}2 × media-[a-z-]+: [A-Z].*\.\n/) })
    const { out } = await models('compare', 'tiny-image', 'tiny-image', '--data', 'refused')
    expect(out).toContain('No row was scored by both, so nothing was compared.')
  })

  it('eval points out labels that may be swapped', async () => {
    const swapped = path.join(path.dirname(index), 'swapped.csv')
    const names = { fake: 'real', real: 'fake' } as const
    const rows = (await fs.readFile(index, 'utf8')).replaceAll(/\b(fake|real)\b/g, (name) => names[name as 'fake'])
    await fs.writeFile(swapped, rows)
    const line = 'check the labels, and outputKind or fakeClasses'
    expect((await models('eval', 'tiny-image', '--data', swapped, '--out', 'of-swapped')).out).toContain(line)
    expect((await models('eval', 'tiny-image', '--data', index, '--out', 'of-right')).out).not.toContain(line)
  })

  it('list prints the whole fault of a package', async () => {
    const folder = path.join(bench.modelsDir, 'renamed')
    await fs.cp(path.join(bench.modelsDir, 'tiny-image'), folder, { recursive: true })
    const { code, out } = await models('list')
    await fs.rm(folder, { recursive: true })
    expect(code).toBe(1)
    expect(out).toMatch(/^✗ renamed: \[manifest-invalid\] .*\n.*id: is tiny-image, but the folder is named renamed$/m)
  })

  it.each([
    ['0 where the package computes what the original does', 0.4, [], 0],
    ['1 where it does not', 0.6, [], 1],
    ['1 where it refuses a file', 0.4, ['b.png'], 1],
  ])('import --check exits with %s', async (name, difference, refused, expected) => {
    const folder = path.join(bench.folder, `export ${name}`)
    await fs.mkdir(folder)
    const files = {
      'config.json': JSON.stringify({
        architectures: ['ViTForImageClassification'],
        id2label: { 0: 'real', 1: 'fake' },
      }),
      'preprocessor_config.json': JSON.stringify({
        image_processor_type: 'ViTImageProcessor',
        size: { height: 32, width: 32 },
      }),
      'model.onnx': pixelClassifier(
        [
          [0, 0, 0],
          [0, 0, 0],
        ],
        [0.25, -0.25],
      ),
      'a.png': await fs.readFile(path.join(path.dirname(index), '0.png')),
      'b.png': 'no picture',
      'logits.json': JSON.stringify({
        'a.png': [0.25, -0.25 - difference],
        ...Object.fromEntries(refused.map((file) => [file, [0, 0]])),
      }),
    }
    for (const [file, content] of Object.entries(files)) await fs.writeFile(path.join(folder, file), content)
    const { code, out } = await models('import', folder, '--id', `checked-${expected}`, '--check', folder)
    await fs.rm(path.join(bench.modelsDir, `checked-${expected}`), { recursive: true })
    expect(out).toContain(`largest ${difference.toFixed(4)} (a.png)`)
    expect(code).toBe(expected)
  })

  it('admit exits with 1 where the package fails', async () => {
    const failed = await models('admit', 'tiny-image', '--max-memory-mb', '1')
    expect(failed.code).toBe(1)
    expect(failed.out).toContain('is NOT admitted')
    const passed = await models('admit', 'tiny-image', '--max-memory-mb', '4000')
    expect(passed).toMatchObject({ code: 0, out: expect.stringContaining('is admitted') })
  })

  it.each([
    [['eval', 'tiny-image'], 64, /--data/],
    [['eval', 'tiny-image', '--data', '.', '--limit', '0'], 64, /--limit takes/],
    [['calibrate', 'tiny-image', '--data', '.', '--method', 'guess'], 64, /Allowed choices/],
    [['import', '.'], 78, /holds no config\.json/],
    [['admit', 'tiny-image'], 78, /No threshold is stated/],
  ])('%j exits with %i', async (args, code, message) => {
    const ended = await models(...args)
    expect(ended.err).toMatch(message)
    expect(ended.code).toBe(code)
  })
})

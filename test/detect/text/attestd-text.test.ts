import fs from 'node:fs/promises'
import path from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { loadChildDetector } from '../../../src/detect/child/load-child-detector.js'
import type { ChildDetector } from '../../../src/detect/contract/child-detector.js'
import { checkSelfTest } from '../../../src/detect/host/self-test.js'
import { type DetectorPackage, loadPackages } from '../../../src/detect/package/package-loader.js'
import { calibrate } from '../../../src/detect/scoring/calibration.js'
import { folderForAll } from '../../support/temporary-folder.js'
import { unwatched } from '../../support/unwatched-parsers.js'

const SAMPLES = packagePath('samples')
const TOOLS = { timeoutSeconds: 1, ffmpeg: null, clock: systemClock, parsers: unwatched }

describe.each(['attestd-text', 'attestd-text-open'])('%s', (id) => {
  let pack: DetectorPackage
  let detector: ChildDetector
  const folder = folderForAll()

  beforeAll(async () => {
    const [first] = await loadPackages({ modelsDir: packagePath('models'), detectors: [{ id }] })
    pack = first as DetectorPackage
    detector = await loadChildDetector(pack, TOOLS, new Map(), null)
  })

  const riskOf = async (file: string) => {
    const { rawScore, length } = await detector.measure(path.join(SAMPLES, file))
    return calibrate(rawScore, pack.manifest.calibration, length)
  }

  it('gives its own sample the stated risk', async () => {
    const measured = await detector.measure(path.join(pack.folder, pack.manifest.selfTest.file))
    expect(() => checkSelfTest(pack, measured)).not.toThrow()
  })

  it('has its band from every pair of left-out domain and generator, and decides only where 85 % are right', async () => {
    const read = async (name: string) =>
      JSON.parse(await fs.readFile(packagePath('models', id, 'evaluation', name), 'utf8'))
    const { fitted, pairs } = await read('metrics.json')
    const { low, high, right, rightWhenFake, rightWhenReal } = (await read('calibration.json')).bandAfter
    expect(fitted).toEqual({ pairs: 25, of: 25 })
    expect(pairs).toHaveLength(25)
    expect(pack.manifest.decisionBand).toEqual({ low, high })
    expect(right).toBeGreaterThanOrEqual(0.85)
    // A side that does not earn 80 % right has no verdicts.
    expect(rightWhenFake).toBeGreaterThanOrEqual(0.8)
    expect(low === 0 ? 1 : rightWhenReal).toBeGreaterThanOrEqual(0.8)
  })

  it('returns the same bits again, whatever was scored between', async () => {
    const file = path.join(SAMPLES, 'rose-bowl-hack.txt')
    const before = await detector.measure(file)
    await detector.measure(path.join(SAMPLES, 'cafe-review.txt'))
    const again = await detector.measure(file)
    expect(Object.is(again.rawScore, before.rawScore)).toBe(true)
    expect(again.parts).toEqual(before.parts)
    expect(again.variants).toEqual(before.variants)
  })

  it('ranks prose written by people below prose written by a machine', async () => {
    const human = await Promise.all(['northanger-abbey.txt', 'rose-bowl-hack.txt'].map(riskOf))
    const machine = await Promise.all(['cafe-review.txt', 'housing-letter.txt'].map(riskOf))
    expect(Math.max(...human)).toBeLessThan(Math.min(...machine))
    // No verdict calls it machine-made.
    expect(Math.max(...human)).toBeLessThan(pack.manifest.decisionBand!.high)
  })

  it('ignores markup, line breaks and typography', async () => {
    const text = await fs.readFile(path.join(SAMPLES, 'cafe-review.txt'), 'utf8')
    const dressed = path.join(folder, 'dressed.md')
    const lines = text.split('\n').map((line) => line.replaceAll("'", '’').replaceAll(', ', ',\u00a0'))
    await fs.writeFile(dressed, `\ufeff# A review\r\n\r\n**${lines.join('\r\n')}**\r\n`)
    const plain = await detector.measure(path.join(SAMPLES, 'cafe-review.txt'))
    expect((await detector.measure(dressed)).rawScore).toBe(plain.rawScore)
  })

  it('scores a text with words longer than a window, of which a space remains between them', async () => {
    const prose = await fs.readFile(path.join(SAMPLES, 'rose-bowl-hack.txt'), 'utf8')
    const file = path.join(folder, 'long-words.txt')
    await fs.writeFile(file, `${prose} ${'a'.repeat(1499)}. ${'b'.repeat(1501)}. ${prose}`)
    const { rawScore, parts, length } = await detector.measure(file)
    const lengths = parts
      .map(({ name }) => (name.match(/\d+/g) ?? []).map(Number))
      .map(([start = 0, end = 0]) => end - start)
    expect(Number.isFinite(rawScore)).toBe(true)
    expect(lengths.reduce((sum, one) => sum + one, 0)).toBe((length ?? 0) - 1)
  })

  it.each(['日本語', '😀', 'ЖдёмЩ', 'A', 'é\u0316'])('does not take long for a run of %s', async (run) => {
    const prose = await fs.readFile(path.join(SAMPLES, 'northanger-abbey.txt'), 'utf8')
    const file = path.join(folder, 'run.txt')
    await fs.writeFile(file, `${prose.repeat(40)} ${run.repeat(20_000)}. ${prose}`)
    await expect(detector.measure(file)).resolves.toMatchObject({ rawScore: expect.any(Number) })
  })

  it('names the passage that determines the score', async () => {
    const long = path.join(folder, 'long.txt')
    const [human, machine] = await Promise.all(
      ['northanger-abbey.txt', 'cafe-review.txt'].map((name) => fs.readFile(path.join(SAMPLES, name), 'utf8')),
    )
    await fs.writeFile(long, `${human?.repeat(2)}\n\n${machine}`)
    const { notes, parts, length } = await detector.measure(long)
    const [start, end] = (parts[0]?.name.match(/\d+/g) ?? []).map(Number)
    expect(notes).toMatch(/^utf-8 text, en, \d+ characters; \d+ parts, /)
    expect(notes).toContain(`highest ${parts[0]?.name}`)
    expect(end).toBe(length)
    expect(start).toBeGreaterThan(1000)
  })
})

describe('the tokens of attestd-text', () => {
  let tokenizer: Tokenizer

  beforeAll(async () => {
    const file = path.join(packagePath('models'), 'attestd-text', 'tokenizer.json')
    tokenizer = new Tokenizer(JSON.parse(await fs.readFile(file, 'utf8')), {})
  })

  const AS_IT_IS = { clean_up_tokenization_spaces: false }
  const piecesOf = (text: string) => tokenizer.encode(text).ids.map((id: number) => tokenizer.decode([id], AS_IT_IS))

  it('are those of o200k_base for common words', () => {
    const pieces = ['Hello', ',', ' world', '!', " It's", ' ', '202', '4', ',', ' and', ' nothing', ' changed', '.']
    expect(piecesOf(pieces.join(''))).toEqual(pieces)
  })

  it('cover all of a text, whatever it contains', () => {
    const text = 'Naïve “quotes” , — Ждём 日本語 😀 ﷽ zxqvjk\u0301, do not , 1234567!!'
    expect(tokenizer.decode(tokenizer.encode(text).ids, AS_IT_IS)).toBe(text)
  })
})

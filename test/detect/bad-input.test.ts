import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AttestdError } from '../../src/core/errors.js'
import { packagePath } from '../../src/core/files.js'
import { MEDIA_TYPES } from '../../src/core/media-types.js'
import type { DetectorHost } from '../../src/detect/detection.js'
import { DetectorBench } from '../support/detector-bench.js'
import { ffmpeg } from '../support/ffmpeg-tool.js'

// Made by test/fixtures/make-bad-input.py, which also says what must become of each file.
const FOLDER = packagePath('test', 'fixtures', 'bad-input')
const outcomes = z
  .array(
    z.strictObject({
      kind: z.string(),
      file: z.string(),
      mediaType: z.enum(MEDIA_TYPES),
      outcome: z.string(),
      withoutFfmpeg: z.string().optional(),
    }),
  )
  .parse(JSON.parse(await fs.readFile(path.join(FOLDER, 'outcomes.json'), 'utf8')))

/** What the issue of detectors names; each must have a file. */
const KINDS = (
  'truncated, mislabelled, animated, CMYK, 16-bit, 1-pixel, 30,000-pixel, silent, 8 kHz, 96 kHz, empty, binary-as-text, ' +
  'zero-frame, variable-frame-rate, rotated, encrypted, playlist, polyglot, featureless'
).split(', ')

it('every kind of bad input has a file, and every file is listed', async () => {
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(KINDS))
  const files = (await fs.readdir(FOLDER)).filter((name) => name !== 'outcomes.json')
  expect(new Set(outcomes.map(({ file }) => file))).toEqual(new Set(files))
})

describe.each([
  ['with ffmpeg', ffmpeg],
  ['without ffmpeg', null],
])('the shipped detectors %s', (where, program) => {
  const skipped = where === 'with ffmpeg' && ffmpeg === null
  const bench = DetectorBench.forAll()
  let host: DetectorHost

  beforeAll(async () => {
    if (skipped) return
    host = await bench.start({ modelsDir: packagePath('models'), ffmpeg: program })
  })

  it.skipIf(skipped).each(outcomes)(
    '$kind: $file as $mediaType',
    async ({ file, mediaType, outcome, withoutFfmpeg }) => {
      const expected = program === null ? (withoutFfmpeg ?? outcome) : outcome
      const actual = await host.detect({ file: path.join(FOLDER, file), mediaType }).then(
        () => 'scored',
        (error: unknown) => (error instanceof AttestdError ? error.reason : String(error)),
      )
      expect(actual).toBe(expected)
    },
  )
})

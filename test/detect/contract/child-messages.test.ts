import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import { packagePath } from '../../../src/core/files.js'
import { isReason, type Reason } from '../../../src/core/reasons.js'
import { errorMessage, fromChildSchema, toChildSchema } from '../../../src/detect/contract/child-messages.js'

const measured = {
  type: 'measured',
  jobId: 1,
  rssBytes: 100,
  measurement: {
    rawScore: -1.5,
    notes: 'png 1x1',
    parts: [{ name: 'center', rawScore: -1.5 }],
    variants: [],
    elapsedMs: { decode: 1, infer: 2 },
  },
}

describe('messages from a child', () => {
  it('a measurement survives JSON bit for bit', () => {
    const rawScore = 0.1 + 0.2
    const sent = { ...measured, measurement: { ...measured.measurement, rawScore } }
    expect(fromChildSchema.parse(JSON.parse(JSON.stringify(sent)))).toEqual(sent)
  })

  it.each([
    ['a score that is no number', { ...measured, measurement: { ...measured.measurement, rawScore: null } }],
    ['an endless note', { ...measured, measurement: { ...measured.measurement, notes: 'x'.repeat(2001) } }],
    ['a field more', { ...measured, risk: 0 }],
    ['two answers in one', { ...measured, evidence: [] }],
    ['a job without a number', { ...measured, jobId: 0 }],
    [
      'a reason that is not for a child to give',
      { type: 'failed', jobId: 1, rssBytes: 1, reason: 'stake-low', message: '' },
    ],
    ['an unknown kind', { type: 'shutdown' }],
    ['nothing', null],
  ])('%s is refused', (_, message) => expect(fromChildSchema.safeParse(message).success).toBe(false))
})

it('a job without a file is refused by the child', () => {
  expect(toChildSchema.safeParse({ type: 'measure', jobId: 1, detectorId: 'a' }).success).toBe(false)
})

it('a reason that a child may not give is reported as an internal error, its text cut', () => {
  expect(errorMessage(new AttestdError('media-corrupt', 'bad'))).toEqual({ reason: 'media-corrupt', message: 'bad' })
  const other = errorMessage(new AttestdError('asset-closed', 'x'.repeat(5000)))
  expect(other.reason).toBe('internal-error')
  expect(fromChildSchema.safeParse({ type: 'failed', jobId: 1, rssBytes: 1, ...other }).success).toBe(true)
})

// A reason that the schema does not let through would arrive as internal-error, and the job be tried again for nothing.
it.each(['audio', 'child', 'contract', 'evidence', 'ffmpeg', 'image', 'runtimes', 'scoring', 'text', 'video'])(
  'a child may give every reason that the code of %s gives',
  async (room) => {
    const folder = packagePath('src', 'detect', room)
    const names = (await fs.readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'))
    const sources = await Promise.all(names.map((name) => fs.readFile(path.join(folder, name), 'utf8')))
    const reasons = sources.flatMap((source) =>
      [...source.matchAll(/AttestdError\(\s*'([a-z-]+)'/g)].map(([, reason]) => reason as string),
    )
    for (const reason of new Set(reasons)) {
      expect(isReason(reason)).toBe(true)
      expect(errorMessage(new AttestdError(reason as Reason))).toMatchObject({ reason })
    }
  },
)

import { describe, expect, it } from 'vitest'
import { runtimeSchema } from '../../../src/detect/package/runtime.js'
import { having } from './plans.js'

const REMOTE = { kind: 'remote', url: 'https://a.example/base', model: 'm', input: 'x', output: 'y', timeoutMs: 10 }

describe('runtime', () => {
  it.each<[string, unknown, unknown]>([
    ['url', 'http://127.0.0.1:8000', 'ftp://a.example'],
    ['url', 'https://a.example', 'https://user@a.example'],
    ['url', 'https://a.example', 'https://:secret@a.example'],
    ['model', 'A.b_c-9', 'a/b'],
    ['model', 'm'.repeat(128), 'm'.repeat(129)],
    ['model', '..', ''],
    ['modelVersion', '3', '3/4'],
    ['timeoutMs', 600_000, 600_001],
    ['timeoutMs', 10, 9],
    ['maxReplyBytes', 64, 63],
    ['maxReplyBytes', 64 * 1024 * 1024, 64 * 1024 * 1024 + 1],
    ['input', ['a', 'b'], []],
    ['input', Array(8).fill('x'), Array(9).fill('x')],
    ['output', 'y'.repeat(500), ''],
  ])('of a model server: %s may be %j, never %j', (at, good, bad) => {
    expect(runtimeSchema.safeParse(having(REMOTE, at, good)).error?.issues).toBeUndefined()
    expect(runtimeSchema.safeParse(having(REMOTE, at, bad)).success).toBe(false)
  })

  it('accepts one input by its name as a list of one, and reads 1 MiB of an answer', () => {
    expect(runtimeSchema.parse(REMOTE)).toMatchObject({ input: ['x'], maxReplyBytes: 1024 * 1024 })
  })

  it('has no field of another kind, such as a token', () => {
    expect(runtimeSchema.safeParse({ ...REMOTE, token: 'x' }).success).toBe(false)
    expect(runtimeSchema.safeParse({ kind: 'module', module: 'main.mjs', model: 'x' }).success).toBe(false)
  })
})

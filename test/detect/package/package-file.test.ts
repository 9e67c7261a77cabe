import { describe, expect, it } from 'vitest'
import { packageFile, relativePath } from '../../../src/detect/package/package-file.js'

describe('files', () => {
  it.each(['a', 'a/b.onnx', '.hidden', 'a..b', '...', 'a/..b'])('%s is a path inside the package', (name) => {
    expect(relativePath.safeParse(name).success).toBe(true)
  })

  it.each(['', '.', '..', '/', '/a', '../a', 'a/..', 'a/../b', './a', 'a//b', 'a/', 'a\\b', 'a\0b', 'x'.repeat(201)])(
    '%j is not one',
    (name) => {
      expect(relativePath.safeParse(name).success).toBe(false)
    },
  )

  it.each([
    { sha256: 'a'.repeat(63), bytes: 1 },
    { sha256: 'g'.repeat(64), bytes: 1 },
    { sha256: 'a'.repeat(64), bytes: 0 },
    { sha256: 'a'.repeat(64), bytes: 1.5 },
    { sha256: 'a'.repeat(64), bytes: 1, mode: 7 },
  ])('%j describes no file', (file) => {
    expect(packageFile.safeParse(file).success).toBe(false)
  })
})

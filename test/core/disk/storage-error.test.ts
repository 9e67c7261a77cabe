import { expect, it } from 'vitest'
import { storageError } from '../../../src/core/disk/storage-error.js'
import { errorText } from '../../../src/core/errors.js'
import { engineError } from '../../../src/queue/engine-error.js'

it('a full disk is told from a folder that cannot be used, and may pass', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  expect(storageError('The folder cannot be written.', full)).toMatchObject({ reason: 'disk-full', kind: 'retry' })
  expect(storageError('The folder cannot be written.', new Error('EACCES'))).toMatchObject({
    reason: 'data-dir-unusable',
  })
  const inDatabase = new Error('could not extend file "base/5/1": No space left on device')
  expect(engineError(inDatabase)).toMatchObject({ reason: 'disk-full' })
})

it('what was thrown and is no error has a text', () => {
  expect(errorText({ name: 'ErrnoError', errno: 51 })).toBe('name ErrnoError, errno 51')
  expect(errorText({})).not.toContain('[object')
  expect(errorText('words')).toBe('words')
})

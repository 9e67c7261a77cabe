import { expect, it } from 'vitest'
import { storageError } from '../../../src/core/disk/storage-error.js'
import { engineError } from '../../../src/queue/engine-error.js'

it('a full disk is distinguished from an unusable folder, and is temporary', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  expect(storageError('The folder cannot be written.', full)).toMatchObject({ reason: 'disk-full', kind: 'retry' })
  expect(storageError('The folder cannot be written.', new Error('EACCES'))).toMatchObject({
    reason: 'data-dir-unusable',
  })
  const inDatabase = new Error('could not extend file "base/5/1": No space left on device')
  expect(engineError(inDatabase)).toMatchObject({ reason: 'disk-full' })
})

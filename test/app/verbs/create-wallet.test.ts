import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createWallet } from '../../../src/app/verbs/create-wallet.js'
import { folderForEach } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const root = folderForEach()

const at = (...names: string[]) => path.join(root, ...names)

describe('a new wallet', () => {
  const asked: string[] = []
  const password = async () => {
    asked.push('password')
    return 'correct horse'
  }
  beforeEach(() => void asked.splice(0))

  it('is refused where a file exists, before a password is asked for', async () => {
    await fs.writeFile(at('wallet.json'), 'another wallet')
    await expect(createWallet({ file: at('wallet.json'), password })).rejects.toMatchObject({
      reason: 'setting-invalid',
    })
    await fs.symlink(at('nowhere'), at('link.json'))
    await expect(createWallet({ file: at('link.json'), password })).rejects.toMatchObject({ reason: 'setting-invalid' })
    expect(asked).toEqual([])
    expect(await fs.readFile(at('wallet.json'), 'utf8')).toBe('another wallet')
  })

  it.each([
    ['that others may read', '5e'.repeat(32), 0o644, /may be read by others/],
    ['that is far too large', 'x'.repeat(1025), 0o600, /larger than 1024 bytes/],
  ])('of a key file %s is refused, before a password is asked for', async (_, text, mode, message) => {
    await fs.writeFile(at('key'), text, { mode })
    await fs.chmod(at('key'), mode)
    await expect(createWallet({ file: at('w.json'), keyFile: at('key'), password })).rejects.toThrow(
      withReason('wallet-unusable', message),
    )
    expect(asked).toEqual([])
    await expect(fs.stat(at('w.json'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('of an invalid key leaves no file, and does not repeat the key', async () => {
    await fs.writeFile(at('key'), 'not a key at all', { mode: 0o600 })
    const making = createWallet({ file: at('w.json'), keyFile: at('key'), password })
    await expect(making).rejects.toMatchObject({
      reason: 'wallet-unusable',
      message: expect.not.stringContaining('not a key at all'),
    })
    expect(await fs.readdir(root)).toEqual(['key'])
  })
})

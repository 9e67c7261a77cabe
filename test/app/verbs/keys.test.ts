import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createKey } from '../../../src/app/verbs/keys.js'
import { loadSettings } from '../../../src/config/load.js'
import { folderForEach } from '../../support/temporary-folder.js'

const root = folderForEach()

const at = (...names: string[]) => path.join(root, ...names)

describe('a new key', () => {
  // Nobody listens there: what is refused below is refused before the service is asked.
  const { settings } = loadSettings({
    env: {
      ATTESTD_SERVICE_URL: 'http://127.0.0.1:9',
      ATTESTD_SESSION_TOKEN: 'token',
      ATTESTD_SERVICE_TIMEOUT_MS: '2000',
    },
  })
  const create = (out: string) => createKey(settings, { kind: 'submitter', label: 'x', out })

  it('is not requested where its secret file exists, and leaves nothing half done', async () => {
    await fs.writeFile(at('signing_secret'), 'of another key')
    await expect(create(root)).rejects.toMatchObject({
      reason: 'setting-invalid',
      message: `${at('signing_secret')} already exists; it was not changed.`,
    })
    expect(await fs.readdir(root)).toEqual(['signing_secret'])
    expect(await fs.readFile(at('signing_secret'), 'utf8')).toBe('of another key')
  })

  it('states what to do if the verb was ended between its two files', async () => {
    await fs.writeFile(at('access_key'), 'ak_att_12345678')
    await fs.writeFile(at('signing_secret'), '')
    await expect(create(root)).rejects.toMatchObject({ fix: expect.stringContaining('revoke that key') })
  })

  it('is not requested where its path is a link, a folder, or not writable', async () => {
    await fs.symlink(at('elsewhere'), at('access_key'))
    await expect(create(root)).rejects.toMatchObject({ reason: 'setting-invalid' })
    await fs.rm(at('access_key'))
    await fs.mkdir(at('access_key'))
    await expect(create(root)).rejects.toMatchObject({ reason: 'setting-invalid' })
    await fs.rmdir(at('access_key'))
    await fs.writeFile(at('file'), '')
    await expect(create(at('file'))).rejects.toMatchObject({ reason: 'setting-invalid' })
    expect(await fs.readdir(root)).toEqual(['file'])
  })

  it('that failed removes its empty files, and keeps existing ones', async () => {
    await fs.writeFile(at('access_key'), '', { mode: 0o644 })
    await expect(create(root)).rejects.toMatchObject({ reason: 'service-unreachable' })
    expect(await fs.readdir(root)).toEqual(['access_key'])
    expect(((await fs.stat(at('access_key'))).mode & 0o777).toString(8)).toBe('600')
  })
})

import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openIdentity } from '../../../src/sandbox/storage/identity.js'

describe('the identity of a sandbox', () => {
  let folder: string
  beforeEach(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-identity-'))
  })
  afterEach(() => fs.rm(folder, { recursive: true }))
  const file = () => path.join(folder, 'identity.json')
  const random = (start: number) => {
    let next = start
    return (size: number) => new Uint8Array(size).fill(++next)
  }

  it('is made once, for its owner only, and is the same from then on', async () => {
    const made = await openIdentity(file(), random(0))
    expect((await fs.stat(file())).mode & 0o777).toBe(0o600)
    expect(await openIdentity(file(), random(100))).toEqual(made)
    const secrets = [
      made.sessionToken,
      made.sessionSecret,
      made.attesterKey.signingSecret,
      made.submitterKey.signingSecret,
    ]
    expect(new Set(secrets).size).toBe(4)
    expect(made.wallets.attester).not.toBe(made.wallets.submitter)
  })

  it.each([
    ['no JSON', () => '{'],
    ['nothing', () => ''],
    ['another version', (text: string) => text.replace('"version": 1', '"version": 2')],
    ['a field more', (text: string) => text.replace('{', '{"extra":1,')],
    ['a private key that is none', (text: string) => text.replace(/"attester": "0x[0-9a-f]+"/, '"attester": "0x00"')],
    ['no session secret', (text: string) => text.replace(/"sessionSecret": "[^"]+"/, '"sessionSecret": ""')],
  ])('is refused where the file is %s, and the file stays as it is', async (_, spoil) => {
    await openIdentity(file(), random(0))
    const text = spoil(await fs.readFile(file(), 'utf8'))
    await fs.writeFile(file(), text)
    const opened = openIdentity(file(), random(0))
    await expect(opened).rejects.toMatchObject({ reason: 'sandbox-data-invalid' })
    expect(await fs.readFile(file(), 'utf8')).toBe(text)
  })

  it('says where it cannot be written, and repeats no secret of a file that it refuses', async () => {
    const nowhere = openIdentity(path.join(folder, 'none', 'identity.json'), random(0))
    await expect(nowhere).rejects.toMatchObject({ reason: 'data-dir-unusable' })
    await fs.writeFile(file(), JSON.stringify({ version: 1, sessionSecret: 'very-hidden', run: 5 }))
    const error = await openIdentity(file(), random(0)).catch(String)
    expect(error).toMatch(/run/)
    expect(error).not.toContain('very-hidden')
  })
})

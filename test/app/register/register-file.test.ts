import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type NewAssetRequest, registerFile } from '../../../src/app/register/register-file.js'
import type { NewAsset, SubmitterSide } from '../../../src/app/register/submitter-side.js'
import { AttestdError } from '../../../src/core/errors.js'
import { folderForAll } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const folder = folderForAll()

/** A file of the folder with this content, or this many bytes. */
async function file(name: string, content: Uint8Array | number): Promise<string> {
  const at = path.join(folder, name)
  await fs.writeFile(at, typeof content === 'number' ? '' : content)
  if (typeof content === 'number') await fs.truncate(at, content)
  return at
}

const HELLO = new TextEncoder().encode('hello')
/** Of `hello`, from sha256sum. */
const HASH = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const UID = `0x${'ab'.repeat(32)}` as const

/** A service that keeps what it is sent. */
function service(own: Partial<SubmitterSide> = {}) {
  const sent: string[] = []
  const assets: NewAsset[] = []
  const side: SubmitterSide = {
    takesHints: true,
    attest: null,
    now: async () => Date.UTC(2026, 0, 1),
    upload: async ({ name }) => {
      sent.push(name)
      return { contentHash: HASH.toUpperCase().replace('0X', '0x'), uri: 'ipfs://x' }
    },
    register: async (asset) => {
      assets.push(asset)
      return 'a1'
    },
    look: async () => ({ state: 'gone' }),
    close: async () => {},
    ...own,
  }
  return { side, sent, assets }
}

const request = (at: string, own: Partial<NewAssetRequest> = {}): NewAssetRequest => ({
  file: at,
  openForMs: 3_600_000,
  contentHash: 'sha256',
  ...own,
})

describe('registerFile', () => {
  it('detects the kind of a file, and sets its closing time by service time', async () => {
    const { assets, sent, side } = service()
    const registered = await registerFile(side, request(await file('a note.txt', HELLO)))
    expect(registered).toMatchObject({ id: 'a1', contentHash: HASH, bytes: 5, mediaType: 'text', title: 'a note.txt' })
    expect(registered.verificationDeadline).toBe('2026-01-01T01:00:00.000Z')
    expect(sent).toEqual(['a note.txt'])
    expect(assets).toEqual([
      {
        title: 'a note.txt',
        mediaContext: '',
        contentHash: HASH,
        uri: 'ipfs://x',
        mediaType: 'text',
        contributorAttestationUid: HASH,
        verificationDeadline: '2026-01-01T01:00:00.000Z',
      },
    ])
  })

  it.each<[string, () => Promise<NewAssetRequest>, string]>([
    ['an empty file', async () => request(await file('empty', 0)), 'upload-refused'],
    ['a file over 50 MiB', async () => request(await file('large', 50 * 1024 * 1024 + 1)), 'upload-refused'],
    ['a folder', async () => request(folder), 'upload-refused'],
    ['no file', async () => request(path.join(folder, 'none')), 'setting-invalid'],
    ['a context that is too long', async () => request('x', { mediaContext: 'x'.repeat(201) }), 'setting-invalid'],
    ['bytes of no kind', async () => request(await file('raw', Uint8Array.of(0, 1, 2))), 'media-unsupported'],
  ])('%s is refused before anything is sent', async (_, make, reason) => {
    const { sent, side } = service()
    await expect(registerFile(side, await make())).rejects.toMatchObject({ reason })
    expect(sent).toEqual([])
  })

  it('registers nothing if the service computed another hash', async () => {
    const { assets, side } = service({ upload: async () => ({ contentHash: UID, uri: 'ipfs://x' }) })
    const ended = registerFile(side, request(await file('b', HELLO)))
    await expect(ended).rejects.toThrow(withReason('content-hash-mismatch', UID))
    expect(assets).toEqual([])
  })

  it('reports after an unclear outcome that the asset may be registered', async () => {
    const lost = new AttestdError('service-timeout', 'no answer', { ambiguous: true })
    const { side } = service({ register: () => Promise.reject(lost) })
    const ended = registerFile(side, request(await file('c', HELLO)))
    await expect(ended).rejects.toMatchObject({
      reason: 'service-timeout',
      ambiguous: true,
      message: expect.stringContaining('may be registered nevertheless'),
    })
  })

  it('sends no hints to an API without such fields, and refuses them where asked for', async () => {
    const { assets, side } = service({ takesHints: false })
    const at = await file('d', Uint8Array.of(0, 1, 2))
    for (const hint of [{ turnaround: 'standard' }, { mediaType: 'image' }] as const) {
      await expect(registerFile(side, request(at, hint))).rejects.toMatchObject({ reason: 'setting-invalid' })
    }
    const upload = async () => ({
      contentHash: '0xae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc',
      uri: 'x',
    })
    const { side: quiet } = service({ takesHints: false, upload, register: side.register })
    expect(await registerFile(quiet, request(at))).toMatchObject({ mediaType: null })
    expect(assets[0]).not.toHaveProperty('mediaType')
  })
})

import { JPEG } from '@trustnxt/c2pa-ts/asset'
import { expect, it } from 'vitest'
import { refuseDeepNesting } from '../../../src/detect/evidence/jumbf-nesting.js'
import { readEvidence } from '../../../src/detect/evidence/read-evidence.js'
import { C2PA_SIGNER, withC2pa } from '../../support/c2pa-picture.js'
import { noise } from '../../support/detector-images.js'
import { privateFieldStore, webpWithStore } from '../../support/hostile-credentials.js'
import { box } from '../../support/iso-boxes.js'
import { filesForAll } from '../../support/temporary-folder.js'

const fileWith = filesForAll()

async function evidenceOf(data: Uint8Array): Promise<string[]> {
  return (await readEvidence(await fileWith(data))).map(({ text }) => text)
}

const CLAIM = `c2pa credentials by "Test Painter", signed as "${C2PA_SIGNER}", source type "trainedAlgorithmicMedia"`

it.each(['jpeg', 'png', 'avif'] as const)(
  'reports what a signed %s claims, and never calls it trusted',
  async (format) => {
    const signed = await withC2pa(await noise(64, 64).toFormat(format).toBuffer(), format, 'Test Painter')
    expect(await evidenceOf(signed)).toEqual([
      `${CLAIM} (signature fits, content unchanged since; signer not checked for trust)`,
    ])
  },
)

it('reports that the content was changed after signing', async () => {
  const signed = await withC2pa(await noise(64, 64).jpeg().toBuffer(), 'jpeg', 'Test Painter')
  signed[signed.length - 20] = (signed.at(-20) as number) ^ 1
  expect(await evidenceOf(signed)).toEqual([
    `${CLAIM} (signature fits, CONTENT CHANGED since; signer not checked for trust)`,
  ])
})

it('reads the claim in containers whose content it cannot check', async () => {
  const signed = await withC2pa(await noise(64, 64).jpeg().toBuffer(), 'jpeg', 'Test Painter')
  const store = Buffer.from(new JPEG(new Uint8Array(signed)).getManifestJUMBF() as Uint8Array)
  const unchecked = [`${CLAIM} (content and signature not checked in this container; signer not checked for trust)`]
  expect(await evidenceOf(webpWithStore(await noise(64, 64).webp().toBuffer(), store))).toEqual(unchecked)
  expect(await evidenceOf(mp4With(store))).toEqual(unchecked)
})

it('reports unreadable credentials, and quotes hostile names safely', async () => {
  const signed = await withC2pa(await noise(64, 64).jpeg().toBuffer(), 'jpeg', 'x"\n(trusted)\u202E')
  expect((await evidenceOf(signed))[0]).toMatch(/^c2pa credentials by "x' \(trusted\)", signed as/)
  expect(await evidenceOf(webpWithStore(await noise(64, 64).webp().toBuffer(), Buffer.alloc(100, 7)))).toEqual([
    'c2pa credentials are there but were not read: malformed',
  ])
})

it('does not follow excessively nested boxes', async () => {
  // Each box holds the description of it and the next one; 60 KB took 0.5 GB, 3.5 MB took 12 GB.
  const description = box(
    'jumd',
    Buffer.concat([Buffer.from('c2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03', 'latin1'), Buffer.from('c2pa\0')]),
  )
  const depth = 100_000
  const heads = Array.from({ length: depth }, (_, level) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE((depth - level) * (8 + description.length))
    head.write('jumb', 4)
    return Buffer.concat([head, description])
  })
  expect(await evidenceOf(webpWithStore(await noise(64, 64).webp().toBuffer(), Buffer.concat(heads)))).toEqual([
    'c2pa credentials are there but were not read: malformed',
  ])
})

it('does not follow boxes in the private field of a description', async () => {
  expect(() => refuseDeepNesting(privateFieldStore(3))).toThrow(/description holds boxes/)
  // 45,000 levels, 1.5 MB, took 5 s and 7 GB.
  expect(await evidenceOf(webpWithStore(await noise(64, 64).webp().toBuffer(), privateFieldStore(45_000)))).toEqual([
    'c2pa credentials are there but were not read: malformed',
  ])
})

function mp4With(store: Buffer): Buffer {
  const content = Buffer.concat([
    Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex'),
    Buffer.alloc(4),
    Buffer.from('manifest\0'),
    Buffer.alloc(8),
    store,
  ])
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41')),
    box('uuid', content),
    box('mdat', Buffer.alloc(16)),
  ])
}

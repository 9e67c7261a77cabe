import fs from 'node:fs/promises'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import { makeTemporaryFolder, removeOwnFolder } from '../../core/disk/own-folders.js'
import { AttestdError } from '../../core/errors.js'
import type { DetectorHost } from '../../detect/detection.js'
import type { MediaSource } from '../../media/media-source.js'
import type { ViewKind } from '../../observe/review/review-port.js'
import type { TypedAsset } from '../../pipeline/jobs.js'

/** Views that are kept in memory: a page asks for the same one again, as for a player that seeks. */
const KEPT = 6
/** Largest view: beyond the most of sound, a minute. */
const MAX_BYTES = 16 * 1024 ** 2
/** How each kind begins; a detector process meets hostile bytes, and what it wrote may be anything. */
const BEGINS = { map: '\x89PNG', image: '\xff\xd8\xff', audio: 'RIFF' } as const

/** The parts of this daemon by which an asset is fetched and decoded again. */
export interface ViewParts {
  readonly detectors: Pick<DetectorHost, 'show'>
  readonly media: Pick<MediaSource, 'fetch'>
}

/** Shows assets to a person: each is fetched and verified as for a job, and decoded in a detector process. */
export class ReviewViews {
  readonly #parts: ViewParts
  readonly #kept = new LRUCache<string, Promise<Buffer>>({ max: KEPT })

  constructor(parts: ViewParts) {
    this.#parts = parts
  }

  /** @throws AttestdError media-*, detector-*, content-hash-mismatch */
  view(asset: TypedAsset, what: ViewKind): Promise<Buffer> {
    const key = `${what} ${asset.mediaType} ${asset.contentHash} ${asset.uri}`
    const known = this.#kept.get(key)
    if (known) return known
    const made = this.#make(asset, what)
    this.#kept.set(key, made)
    made.catch(() => this.#kept.delete(key))
    return made
  }

  async #make({ contentHash, mediaType, uri }: TypedAsset, what: ViewKind): Promise<Buffer> {
    const { detectors, media } = this.#parts
    const folder = await makeTemporaryFolder('attestd-view-')
    const out = path.join(folder, 'view')
    try {
      const fetched = await media.fetch({ uri, contentHash })
      try {
        await detectors.show({ file: fetched.file, mediaType, what: what === 'map' ? 'map' : 'view', out })
      } finally {
        fetched.release()
      }
      return await readView(out, what === 'map' ? 'map' : mediaType)
    } finally {
      await removeOwnFolder(folder)
    }
  }
}

async function readView(file: string, kind: TypedAsset['mediaType'] | 'map'): Promise<Buffer> {
  const { size } = await fs.stat(file)
  const bytes = size > MAX_BYTES ? Buffer.alloc(0) : await fs.readFile(file)
  const begin = kind === 'text' ? '' : kind === 'map' || kind === 'audio' ? BEGINS[kind] : BEGINS.image
  if (size <= MAX_BYTES && bytes.toString('latin1', 0, begin.length) === begin) return bytes
  throw new AttestdError('detector-failed', 'The detector process wrote no view of the file.')
}

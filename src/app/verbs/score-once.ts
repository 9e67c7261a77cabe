import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import { readAt } from '../../core/files.js'
import type { MediaType } from '../../core/media-types.js'
import type { Detection } from '../../detect/detection.js'
import { mediaTypeOf, SNIFF_BYTES, sniff } from '../../formats/sniff.js'
import { openDetectors } from '../open/open-detectors.js'
import { openMedia } from '../open/open-media.js'

/** What to score. Nothing states a content hash of `target`, so bytes are verified only where the URI is ipfs://. */
export interface ScoreOnceRequest {
  /** A path, or an ipfs:// or https:// URI. */
  readonly target: string
  readonly mediaType: MediaType
  /** Where to write a heat map; images only. */
  readonly heatMap?: string | undefined
}

/**
 * Scores one file or URI by the daemon's own media source and detector processes.
 * @throws AttestdError media-*, detector-*, uri-unsupported, address-refused, setting-invalid (no heat map there)
 */
export async function scoreOnce(settings: Settings, { target, ...asked }: ScoreOnceRequest): Promise<Detection> {
  const { mediaType } = asked
  await checkHeatMap(asked)
  const detectors = await openDetectors(settings, { workers: 1, mediaType })
  try {
    if (!detectors.detectorFor(mediaType)) {
      throw new AttestdError('detector-none', `No detector is loaded for ${mediaType}.`)
    }
    const detect = (file: string) =>
      detectors.detect({ ...asked, file }).catch(async (error: unknown) => {
        throw await withTypeSeen(error, file, mediaType)
      })
    if (!/^[a-z]+:\/\//i.test(target)) return await detect(await readable(target))
    return await scoreUri(settings, target, detect)
  } finally {
    await detectors.close()
  }
}

/** Names the kind of media that the bytes show, where that is another than was asked for. */
async function withTypeSeen(error: unknown, file: string, asked: MediaType): Promise<unknown> {
  if (!(error instanceof AttestdError) || error.kind !== 'abstain') return error
  const seen = mediaTypeOf(await sniff(await readAt(file, 0, SNIFF_BYTES)))
  if (seen === null || seen === asked) return error
  const { message, reason } = error
  return new AttestdError(reason, message, {
    cause: error,
    fix: `The file looks like ${seen}: give --media-type ${seen}.`,
  })
}

/** Before any work: whether the map can be made and written. */
async function checkHeatMap({ mediaType, heatMap }: Omit<ScoreOnceRequest, 'target'>): Promise<void> {
  if (heatMap === undefined) return
  if (mediaType !== 'image') {
    throw new AttestdError('setting-invalid', `A heat map needs a picture; ${mediaType} has none.`)
  }
  const folder = path.dirname(path.resolve(heatMap))
  await fs.access(folder, fs.constants.W_OK).catch((cause) => {
    throw new AttestdError('setting-invalid', `The heat map cannot be written to ${folder}.`, { cause })
  })
}

async function readable(file: string): Promise<string> {
  const absolute = path.resolve(file)
  await fs.access(absolute, fs.constants.R_OK).catch((cause) => {
    throw new AttestdError('media-unreachable', `${absolute} cannot be read.`, { cause })
  })
  return absolute
}

/** A URI alone has no content hash to check; an ipfs:// one is still verified block by block. */
async function scoreUri(
  settings: Settings,
  uri: string,
  detect: (file: string) => Promise<Detection>,
): Promise<Detection> {
  const cacheDir = path.join(os.tmpdir(), `attestd-score-${randomUUID()}`)
  const media = await openMedia(settings, { cacheDir, cacheBytes: settings.mediaMaxBytes })
  try {
    const fetched = await media.fetchUnstated(uri)
    return await detect(fetched.file)
  } finally {
    await media.close()
    await fs.rm(cacheDir, { recursive: true, force: true })
  }
}

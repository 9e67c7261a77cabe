import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Settings } from '../config/settings.js'
import { AttestdError } from '../core/errors.js'
import type { MediaType } from '../core/media-types.js'
import type { Detection } from '../detect/detection.js'
import { openDetectors } from './open-detectors.js'
import { openMedia } from './open-media.js'

/**
 * Scores one file or URI by the daemon's own media source and detector processes.
 * @throws AttestdError media-*, detector-*, uri-unsupported, address-refused
 */
export async function scoreOnce(settings: Settings, target: string, mediaType: MediaType): Promise<Detection> {
  const detectors = await openDetectors(settings, { workers: 1 })
  try {
    if (!detectors.detectorFor(mediaType)) {
      throw new AttestdError('detector-none', `No detector is loaded for ${mediaType}.`)
    }
    if (!/^[a-z]+:\/\//i.test(target)) return await detectors.detect({ file: await readable(target), mediaType })
    return await scoreUri(settings, target, (file) => detectors.detect({ file, mediaType }))
  } finally {
    await detectors.close()
  }
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

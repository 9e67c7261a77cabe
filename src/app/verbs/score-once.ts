import fs from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { makeTemporaryFolder, removeOwnFolder } from '../../core/disk/own-folders.js'
import { AttestdError, isAbstention } from '../../core/errors.js'
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
  /** Absent: by the bytes. */
  readonly mediaType?: MediaType | undefined
  /** Where to write a heat map; images only. */
  readonly heatMap?: string | undefined
}

export const isUri = (target: string) => /^[a-z]+:\/\//i.test(target)

/**
 * Scores one file or URI by the daemon's own media source and detector processes.
 * @throws AttestdError argument-invalid (media of no known kind, no heat map of it), media-*, detector-*, uri-unsupported, address-refused
 */
export function scoreOnce(settings: Settings, request: ScoreOnceRequest): Promise<Detection> {
  const { target } = request
  return isUri(target) ? scoreUri(settings, request) : scoreFile(settings, target, request)
}

async function scoreFile(
  settings: Settings,
  file: string,
  { heatMap: out, ...asked }: ScoreOnceRequest,
): Promise<Detection> {
  const mediaType = asked.mediaType ?? (await seenType(file))
  if (mediaType === null) {
    throw new AttestdError('argument-invalid', `${file} does not show its media type; set it with --media-type.`)
  }
  if (out !== undefined) await checkHeatMap(file, mediaType, out)
  const detectors = await openDetectors(settings, { workers: 1, mediaType })
  try {
    if (!detectors.detectorFor(mediaType)) {
      throw new AttestdError('detector-none', `No detector is loaded for ${mediaType}.`)
    }
    const detection = await detectors.detect({ file, mediaType })
    if (out === undefined) return detection
    return { ...detection, heatMap: await detectors.show({ file, mediaType, what: 'map', out }) }
  } catch (error) {
    throw await withTypeSeen(error, file, mediaType)
  } finally {
    await detectors.close()
  }
}

const seenType = async (file: string): Promise<MediaType | null> =>
  mediaTypeOf(await sniff(await readAt(file, 0, SNIFF_BYTES)))

/** Names the kind of media that the bytes show, where that is another than was asked for. */
async function withTypeSeen(error: unknown, file: string, asked: MediaType): Promise<unknown> {
  if (!isAbstention(error)) return error
  const seen = await seenType(file)
  if (seen === null || seen === asked) return error
  const { message, reason } = error
  return new AttestdError(reason, message, {
    cause: error,
    fix: `The file looks like ${seen}: set --media-type ${seen}.`,
  })
}

/** Before any detector is loaded: whether the map can be made and written. */
async function checkHeatMap(picture: string, mediaType: MediaType, heatMap: string): Promise<void> {
  if (mediaType !== 'image') {
    throw new AttestdError('argument-invalid', `A heat map needs a picture; ${mediaType} has none.`)
  }
  if (path.resolve(heatMap) === path.resolve(picture))
    throw new AttestdError('argument-invalid', 'The heat map would replace the picture; name another file for it.')
  const folder = path.dirname(path.resolve(heatMap))
  await fs.access(folder, fs.constants.W_OK).catch((cause) => {
    throw new AttestdError('argument-invalid', `The heat map cannot be written to ${folder}.`, { cause })
  })
}

/** A URI alone has no content hash to check; an ipfs:// one is still verified block by block. */
async function scoreUri(settings: Settings, request: ScoreOnceRequest): Promise<Detection> {
  const cacheDir = await makeTemporaryFolder('attestd-score-')
  try {
    const media = await openMedia(settings, { cacheDir, cacheBytes: settings.mediaMaxBytes })
    try {
      const { file } = await media.fetchUnstated(request.target)
      return await scoreFile(settings, file, request)
    } finally {
      await media.close()
    }
  } finally {
    await removeOwnFolder(cacheDir)
  }
}

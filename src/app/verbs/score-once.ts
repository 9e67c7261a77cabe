import fs from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { makeTemporaryFolder, removeOwnFolder } from '../../core/disk/own-folders.js'
import { AttestdError } from '../../core/errors.js'
import { readAt } from '../../core/files.js'
import type { MediaType } from '../../core/media-types.js'
import type { Detection, DetectorHost } from '../../detect/detection.js'
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

/** Whether what is to be scored is fetched, not a path. */
export const isUri = (target: string) => /^[a-z]+:\/\//i.test(target)

/**
 * Scores one file or URI by the daemon's own media source and detector processes.
 * @throws AttestdError argument-invalid (media of no known kind, no heat map of it), media-*, detector-*, uri-unsupported, address-refused
 */
export async function scoreOnce(settings: Settings, { target, ...asked }: ScoreOnceRequest): Promise<Detection> {
  const detect = async (file: string) =>
    detectFile(settings, file, { ...asked, mediaType: await mediaTypeFor(file, asked) })
  return isUri(target) ? scoreUri(settings, target, detect) : detect(target)
}

type FileRequest = Omit<ScoreOnceRequest, 'target' | 'mediaType'> & { readonly mediaType: MediaType }

async function detectFile(settings: Settings, file: string, asked: FileRequest): Promise<Detection> {
  const { mediaType } = asked
  await checkHeatMap(file, asked)
  const detectors = await openDetectors(settings, { workers: 1, mediaType })
  try {
    if (!detectors.detectorFor(mediaType)) {
      throw new AttestdError('detector-none', `No detector is loaded for ${mediaType}.`)
    }
    return await explained(detectors, file, asked).catch(async (error: unknown) => {
      throw await withTypeSeen(error, file, mediaType)
    })
  } finally {
    await detectors.close()
  }
}

async function explained(detectors: DetectorHost, file: string, { heatMap: out, mediaType }: FileRequest) {
  const detection = await detectors.detect({ file, mediaType })
  return out === undefined
    ? detection
    : { ...detection, heatMap: await detectors.show({ file, mediaType, what: 'map', out }) }
}

async function mediaTypeFor(file: string, { mediaType }: Omit<ScoreOnceRequest, 'target'>): Promise<MediaType> {
  const known = mediaType ?? (await seenType(file))
  if (known !== null) return known
  throw new AttestdError('argument-invalid', `${file} does not show its media type; set it with --media-type.`)
}

const seenType = async (file: string): Promise<MediaType | null> =>
  mediaTypeOf(await sniff(await readAt(file, 0, SNIFF_BYTES)))

/** Names the kind of media that the bytes show, where that is another than was asked for. */
async function withTypeSeen(error: unknown, file: string, asked: MediaType): Promise<unknown> {
  if (!(error instanceof AttestdError) || error.kind !== 'abstain') return error
  const seen = await seenType(file)
  if (seen === null || seen === asked) return error
  const { message, reason } = error
  return new AttestdError(reason, message, {
    cause: error,
    fix: `The file looks like ${seen}: set --media-type ${seen}.`,
  })
}

/** Before any detector is loaded: whether the map can be made and written. */
async function checkHeatMap(picture: string, { mediaType, heatMap }: FileRequest): Promise<void> {
  if (heatMap === undefined) return
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
async function scoreUri(
  settings: Settings,
  uri: string,
  detect: (file: string) => Promise<Detection>,
): Promise<Detection> {
  const cacheDir = await makeTemporaryFolder('attestd-score-')
  try {
    const media = await openMedia(settings, { cacheDir, cacheBytes: settings.mediaMaxBytes })
    try {
      const fetched = await media.fetchUnstated(uri)
      return await detect(fetched.file)
    } finally {
      await media.close()
    }
  } finally {
    await removeOwnFolder(cacheDir)
  }
}

import { type FileBytes, withFileBytes } from '../../formats/file-bytes.js'
import { SNIFF_BYTES, sniff } from '../../formats/sniff.js'
import type { Evidence } from '../contract/measurement.js'
import { imageLibrary } from '../image/image-library.js'
import { c2paEvidence } from './c2pa.js'
import { pngTextEvidence } from './png-text.js'
import { xmpEvidence } from './xmp.js'

/** Most lines of evidence, as `measurementSchema` allows. */
const MAX_LINES = 16
/** Most lines of one kind, so that a file full of one leaves room for the others. */
const MAX_LINES_PER_KIND = 6

/**
 * What a file states about its own origin: C2PA credentials, generator marks in PNG text, XMP and EXIF, and maker
 * tags of video and audio containers. It states what is claimed, never whether it is so; it does not change a risk and
 * is no proof of being real, since any of it can be written, copied or removed by anybody. For use in a child process.
 * Never throws and never fails a job: what cannot be read is left out.
 */
export const readEvidence = (file: string): Promise<Evidence[]> =>
  attempt(() => withFileBytes(file, (bytes) => evidenceOf(file, bytes)))

async function evidenceOf(file: string, bytes: FileBytes): Promise<Evidence[]> {
  const { class: kind, mime } = await sniff(bytes.read(0, SNIFF_BYTES))
  const found = [await attempt(() => c2paEvidence(bytes, mime))]
  if (kind === 'image') {
    if (mime === 'image/png' || mime === 'image/apng') found.push(await attempt(() => pngTextEvidence(bytes)))
    found.push(await attempt(() => pictureMetadata(file)))
  }
  if (kind === 'video' || kind === 'audio') found.push(await attempt(() => recordingTags(file)))
  return distinct(found.flatMap((lines) => lines.slice(0, MAX_LINES_PER_KIND))).slice(0, MAX_LINES)
}

/** libvips finds the blocks in every format that is decoded, within its own limits. */
async function pictureMetadata(file: string): Promise<Evidence[]> {
  const { xmp, exif } = await imageLibrary(file, { pages: 1 }).metadata()
  return [
    ...(xmp === undefined ? [] : await attempt(() => xmpEvidence(xmp))),
    ...(exif === undefined ? [] : await attempt(async () => (await import('./exif.js')).exifEvidence(exif))),
  ]
}

/** Its library is loaded for recordings only. */
async function recordingTags(file: string): Promise<Evidence[]> {
  const { containerEvidence } = await import('./container-tags.js')
  return containerEvidence(file)
}

/** Nothing where it fails. */
async function attempt(work: () => Evidence[] | Promise<Evidence[]>): Promise<Evidence[]> {
  try {
    return await work()
  } catch {
    return []
  }
}

const distinct = (lines: readonly Evidence[]): Evidence[] =>
  lines.filter(({ text }, index) => lines.findIndex((each) => each.text === text) === index)

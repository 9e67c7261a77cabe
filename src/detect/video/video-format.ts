import { type InputFormat, MATROSKA, MP4, MPEG_TS, QTFF, WEBM } from 'mediabunny'
import { CONTAINERS, type Container } from '../../formats/containers.js'
import { firstBytes, notOfKind } from '../../formats/declared-kind.js'
import { sniff } from '../../formats/sniff.js'

/** A container of video, detected from the first bytes of the file, never by its name. */
export interface VideoFormat extends Container {
  /** mediabunny's reader of it; null where it has none, and only ffmpeg opens the file. */
  readonly reader: InputFormat | null
}

const READERS: Readonly<Record<string, InputFormat>> = {
  mp4: MP4,
  m4a: MP4,
  '3gp': MP4,
  quicktime: QTFF,
  webm: WEBM,
  matroska: MATROSKA,
  'mpeg-ts': MPEG_TS,
}

const FORMATS = new Map<string | null, Container>([...CONTAINERS, ['video/mpeg', { name: 'mpeg', demuxer: 'mpeg' }]])

/**
 * Detects the container of a video.
 * @throws AttestdError media-empty, media-type-mismatch (another class of media, a playlist), media-unsupported (a container that is not read)
 */
export async function sniffVideoFormat(file: string): Promise<VideoFormat> {
  const head = await firstBytes(file)
  const sniffed = await sniff(head)
  const format = FORMATS.get(sniffed.mime)
  if (format !== undefined) return { ...format, reader: READERS[format.name] ?? null }
  throw notOfKind('video', head, sniffed)
}

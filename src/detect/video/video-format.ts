import { type InputFormat, MATROSKA, MP4, MPEG_TS, QTFF, WEBM } from 'mediabunny'
import { firstBytes, notOfKind } from '../../formats/declared-kind.js'
import { sniff } from '../../formats/sniff.js'

/** A container of video, detected from the first bytes of the file, never by its name. */
export interface VideoFormat {
  /** As a person calls it. */
  readonly name: string
  /** ffmpeg's reader of it, so that ffmpeg cannot see another format in the same bytes. */
  readonly demuxer: string
  /** mediabunny's reader of it; null where it has none, and only ffmpeg opens the file. */
  readonly reader: InputFormat | null
}

const mp4: VideoFormat = { name: 'mp4', demuxer: 'mov', reader: MP4 }
const matroska: VideoFormat = { name: 'matroska', demuxer: 'matroska', reader: MATROSKA }
const mpeg: VideoFormat = { name: 'mpeg', demuxer: 'mpeg', reader: null }
const ogg: VideoFormat = { name: 'ogg', demuxer: 'ogg', reader: null }
const asf: VideoFormat = { name: 'asf', demuxer: 'asf', reader: null }

const FORMAT_OF_MIME = new Map<string | null, VideoFormat>([
  ['video/mp4', mp4],
  ['video/x-m4v', mp4],
  ['video/3gpp', { ...mp4, name: '3gp' }],
  ['video/3gpp2', { ...mp4, name: '3gp' }],
  ['audio/mp4', mp4],
  ['audio/x-m4a', mp4],
  ['video/quicktime', { name: 'quicktime', demuxer: 'mov', reader: QTFF }],
  ['video/webm', { name: 'webm', demuxer: 'matroska', reader: WEBM }],
  ['video/matroska', matroska],
  ['video/x-matroska', matroska],
  ['video/mp2t', { name: 'mpeg-ts', demuxer: 'mpegts', reader: MPEG_TS }],
  ['video/mpeg', mpeg],
  ['video/MP1S', mpeg],
  ['video/MP2P', mpeg],
  ['video/ogg', ogg],
  ['application/ogg', ogg],
  ['video/vnd.avi', { name: 'avi', demuxer: 'avi', reader: null }],
  ['video/x-flv', { name: 'flv', demuxer: 'flv', reader: null }],
  ['video/x-ms-asf', asf],
  ['application/vnd.ms-asf', asf],
])

/**
 * Detects the container of a video.
 * @throws AttestdError media-empty, media-type-mismatch (another class of media, a playlist), media-unsupported (a container that is not read)
 */
export async function sniffVideoFormat(file: string): Promise<VideoFormat> {
  const head = await firstBytes(file)
  const sniffed = await sniff(head)
  const format = FORMAT_OF_MIME.get(sniffed.mime)
  if (format !== undefined) return format
  throw notOfKind('video', head, sniffed)
}

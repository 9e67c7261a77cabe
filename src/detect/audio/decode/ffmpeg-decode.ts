import { ADTS, FilePathSource, Input, MATROSKA, MP4, QTFF, WEBM } from 'mediabunny'
import { AttestdError, errorText } from '../../../core/errors.js'
import { isFirstChosen, severalTracks, shownOtherwise } from '../../../formats/first-chosen.js'
import { hasTrackShownOtherwise } from '../../../formats/matroska-tracks.js'
import { readMp4Index } from '../../../formats/mp4-index.js'
import type { ReaderTools } from '../../contract/medium-reader.js'
import { streamFfmpeg } from '../../ffmpeg/run-ffmpeg.js'
import { walkPackets } from '../../ffmpeg/walk-packets.js'
import { planPassages } from './passages.js'
import { corruptSound, type OpenSound } from './sound.js'
import { decodeWav } from './wav-decode.js'

/** Formats that only ffmpeg decodes here, by their MIME types, and how a person calls them. */
const FORMATS = new Map([
  ['audio/mp4', 'mp4'],
  ['audio/x-m4a', 'm4a'],
  ['video/mp4', 'mp4'],
  ['video/x-m4v', 'mp4'],
  ['video/3gpp', '3gp'],
  ['video/3gpp2', '3gp'],
  ['video/quicktime', 'quicktime'],
  ['video/webm', 'webm'],
  ['video/matroska', 'matroska'],
  ['video/x-matroska', 'matroska'],
  ['audio/aac', 'aac'],
  ['audio/ac3', 'ac3'],
  ['audio/vnd.dolby.dd-raw', 'ac3'],
  ['audio/aiff', 'aiff'],
  ['audio/amr', 'amr'],
  ['audio/ape', 'ape'],
  ['audio/ogg', 'ogg'],
  ['audio/wav', 'wav'],
  ['audio/wavpack', 'wavpack'],
  ['audio/x-ms-asf', 'asf'],
  ['video/x-ms-asf', 'asf'],
  ['application/vnd.ms-asf', 'asf'],
  ['video/mp2t', 'mpeg-ts'],
  ['video/MP1S', 'mpeg'],
  ['video/MP2P', 'mpeg'],
  ['video/vnd.avi', 'avi'],
  ['video/x-flv', 'flv'],
])
/** Those whose tracks can be listed without ffmpeg. */
const CONTAINERS = new Set(['mp4', 'm4a', '3gp', 'quicktime', 'webm', 'matroska', 'aac'])
const MATROSKA_FORMATS = new Set(['webm', 'matroska'])
/** Far more than any recording that is looked at decodes to; the reader stops early by itself. */
const MAX_OUTPUT_BYTES = 64 * 1024 ** 3

/**
 * Opens sound that no decoder of this package knows. ffmpeg writes it as WAVE with the rate and channels it has, so that
 * mixing and resampling are the same for every format.
 * @param mime by signature
 * @throws AttestdError media-unsupported (no ffmpeg, protected, not on the list), media-type-mismatch (no sound in it)
 */
export async function openByFfmpeg(file: string, mime: string, tools: ReaderTools): Promise<OpenSound> {
  const format = FORMATS.get(mime)
  if (format === undefined) throw new AttestdError('media-unsupported', `Sound of type ${mime} is not supported.`)
  if (MATROSKA_FORMATS.has(format) && (await hasTrackShownOtherwise(file))) throw shownOtherwise()
  const track = CONTAINERS.has(format) ? await tools.parsers.during(() => soundTrack(file)) : null
  const { ffmpeg } = tools
  if (ffmpeg === null) {
    throw new AttestdError(
      'media-unsupported',
      `Sound of type ${mime} needs ffmpeg, and there is none: install it, or name it in ATTESTD_FFMPEG.`,
    )
  }
  const { seconds } = track ?? (await walkPackets(ffmpeg, file, '0:a:0'))
  const planned = await planPassages(file, seconds)
  const passages = planned.map((passage) => ({
    ...passage,
    blocks: decodeWav(
      streamFfmpeg({
        ffmpeg,
        file,
        inputOptions: passage.startSeconds === 0 ? [] : ['-ss', passage.startSeconds.toFixed(3)],
        args: ['-map', '0:a:0', '-vn', '-c:a', 'pcm_f32le', '-map_metadata', '-1', '-bitexact', '-f', 'wav'],
        maxBytes: MAX_OUTPUT_BYTES,
        timeoutMs: tools.timeoutSeconds * 1000,
      }),
    ),
  }))
  const codec = track?.codec ?? null
  return { format: codec === null ? format : `${format} ${codec}`, seconds, passages }
}

/** The codec of the first sound track, null where it is not known by name, and its length by its packets: a stated one may be false. */
async function soundTrack(file: string): Promise<{ codec: string | null; seconds: number }> {
  if ((await readMp4Index(file))?.isProtected)
    throw new AttestdError('media-unsupported', 'The recording is encrypted.')
  const input = new Input({ source: new FilePathSource(file), formats: [MP4, QTFF, MATROSKA, WEBM, ADTS] })
  try {
    const tracks = await input.getTracks()
    if (tracks.length === 0) throw corruptSound('its list of tracks is missing.')
    const sounds = tracks.filter((each) => each.isAudioTrack())
    const [track] = sounds
    if (track === undefined)
      throw new AttestdError('media-type-mismatch', 'Declared audio, but there is no sound in it.')
    if (!(await isFirstChosen(sounds))) throw severalTracks()
    return { codec: await track.getCodec(), seconds: await input.computeDuration([track]) }
  } catch (error) {
    if (error instanceof AttestdError) throw error
    throw corruptSound(errorText(error), error)
  } finally {
    input.dispose()
  }
}

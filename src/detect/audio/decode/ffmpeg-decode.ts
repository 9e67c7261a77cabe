import { ADTS, FilePathSource, Input, MATROSKA, MP4, QTFF, WEBM } from 'mediabunny'
import { AttestdError, errorText } from '../../../core/errors.js'
import { CONTAINERS, type Container } from '../../../formats/containers.js'
import { isFirstChosen, severalTracks, shownOtherwise } from '../../../formats/first-chosen.js'
import { hasTrackShownOtherwise } from '../../../formats/matroska-tracks.js'
import { readMp4Index } from '../../../formats/mp4-index.js'
import type { ReaderTools } from '../../contract/medium-reader.js'
import { streamFfmpeg } from '../../ffmpeg/run-ffmpeg.js'
import { walkPackets } from '../../ffmpeg/walk-packets.js'
import { planPassages } from './passages.js'
import { corruptSound, type OpenSound } from './sound.js'
import { decodeWav } from './wav-decode.js'

/** Formats that only ffmpeg decodes here, by their MIME types: how a person calls them, and its reader of them if it must be no other. */
const FORMATS = new Map<string | null, Pick<Container, 'name'> & Partial<Container>>([
  ...CONTAINERS,
  ['audio/aac', { name: 'aac' }],
  ['audio/ac3', { name: 'ac3' }],
  ['audio/vnd.dolby.dd-raw', { name: 'ac3' }],
  ['audio/aiff', { name: 'aiff' }],
  ['audio/amr', { name: 'amr' }],
  ['audio/ape', { name: 'ape' }],
  ['audio/ogg', { name: 'ogg' }],
  ['audio/wav', { name: 'wav' }],
  ['audio/wavpack', { name: 'wavpack' }],
  ['audio/x-ms-asf', { name: 'asf' }],
])
/** Names of those whose tracks can be listed without ffmpeg. */
const LISTED = new Set(['mp4', 'm4a', '3gp', 'quicktime', 'webm', 'matroska', 'aac'])
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
  const { demuxer, name } = format
  if (demuxer === 'matroska' && (await hasTrackShownOtherwise(file))) throw shownOtherwise()
  const track = LISTED.has(name) ? await tools.parsers.during(() => soundTrack(file)) : null
  const { ffmpeg } = tools
  if (ffmpeg === null) {
    throw new AttestdError(
      'media-unsupported',
      `Sound of type ${mime} needs ffmpeg, and there is none: install it, or name it in ATTESTD_FFMPEG.`,
    )
  }
  const { seconds } = track ?? (await walkPackets(ffmpeg, file, demuxer)).sound ?? noSound()
  const planned = await planPassages(file, seconds)
  const passages = planned.map((passage) => ({
    ...passage,
    blocks: decodeWav(
      streamFfmpeg({
        ffmpeg,
        file,
        inputOptions: [
          ...(demuxer === undefined ? [] : ['-f', demuxer]),
          ...(passage.startSeconds === 0 ? [] : ['-ss', passage.startSeconds.toFixed(3)]),
        ],
        args: ['-map', '0:a:0', '-vn', '-c:a', 'pcm_f32le', '-map_metadata', '-1', '-bitexact', '-f', 'wav'],
        maxBytes: MAX_OUTPUT_BYTES,
        timeoutMs: tools.timeoutSeconds * 1000,
      }),
    ),
  }))
  const codec = track?.codec ?? null
  return { format: codec === null ? name : `${name} ${codec}`, seconds, passages }
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
    if (track === undefined) return noSound()
    if (!(await isFirstChosen(sounds))) throw severalTracks()
    return { codec: await track.getCodec(), seconds: await input.computeDuration([track]) }
  } catch (error) {
    if (error instanceof AttestdError) throw error
    throw corruptSound(errorText(error), error)
  } finally {
    input.dispose()
  }
}

function noSound(): never {
  throw new AttestdError('media-type-mismatch', 'Declared audio, but there is no sound in it.')
}

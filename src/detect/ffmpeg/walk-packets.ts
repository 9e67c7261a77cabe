import { stat } from 'node:fs/promises'
import { severalTracks } from '../../formats/first-chosen.js'
import { streamFfmpeg } from './run-ffmpeg.js'

/** Longest time that the packets of a file are walked, ms; 1 GB took about a second. */
const WALK_TIMEOUT_MS = 20_000

/** ffmpeg's warning of a stream that begins later than those it found when it opened the file. */
const BEGINS_LATER = /New (video|audio) stream/
/** What is kept of the warnings for a match that goes on in the next piece, characters. */
const WARNING_OVERLAP = 20

/** Lines of ffmpeg's list of packets: unit of time and kind of a stream; time and length of a packet. */
const UNIT = /^#tb (\d+): (\d+)\/(\d+)/
const KIND = /^#media_type (\d+): (video|audio)/
const PACKET = /^\d+, +(\d+), +-?\d+, +(\d+),/

/** A track, undecoded. */
interface Packets {
  readonly seconds: number
  readonly packets: number
}

/** What a file holds; null where there is none of it. */
export interface Walk {
  readonly pictures: Packets | null
  readonly sound: Packets | null
}

let last: { readonly file: string; readonly walk: Walk } | undefined

/**
 * Length and number of packets of pictures and of sound, of a file with at most one track of each. Walked once for as long as
 * no other file is: a video is asked for its pictures, its sound and channels of it.
 * @param demuxer ffmpeg's reader of it; where it is left out, any
 * @throws AttestdError as `streamFfmpeg`; media-unsupported where another track is there, or begins anywhere in the file: players may go over to it
 */
export async function walkPackets(ffmpeg: string, file: string, demuxer?: string): Promise<Walk> {
  const { ino, mtimeMs, size } = await stat(file)
  const key = [demuxer, ino, mtimeMs, size, file].join(' ')
  if (last?.file !== key) last = { file: key, walk: await walk(ffmpeg, file, demuxer) }
  return last.walk
}

async function walk(ffmpeg: string, file: string, demuxer: string | undefined): Promise<Walk> {
  let warned = ''
  let isOther = false
  const list = new PacketList()
  const output = streamFfmpeg({
    ffmpeg,
    file,
    inputOptions: demuxer === undefined ? [] : ['-f', demuxer],
    args: ['-map', '0:V?', '-map', '0:a?', '-c', 'copy', '-f', 'framecrc'],
    maxBytes: Infinity,
    timeoutMs: WALK_TIMEOUT_MS,
    onWarning: (text) => {
      warned += text
      isOther ||= BEGINS_LATER.test(warned)
      warned = warned.slice(-WARNING_OVERLAP)
    },
  })
  for await (const chunk of output) list.add(chunk.toString('latin1'))
  const [pictures, sound] = [list.tracksOf('video'), list.tracksOf('audio')]
  if (isOther || pictures.length > 1 || sound.length > 1) throw severalTracks()
  return { pictures: pictures[0] ?? null, sound: sound[0] ?? null }
}

/** Reads ffmpeg's list of packets. */
class PacketList {
  readonly #streams: { kind: string; unit: number; packets: number; last: string }[] = []
  #text = ''

  add(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) {
      const stream = this.#streams[Number(line.slice(0, line.indexOf(',')))]
      if (stream === undefined) this.#head(line)
      else {
        stream.packets += 1
        stream.last = line
      }
    }
  }

  tracksOf(kind: string): Packets[] {
    return this.#streams
      .filter((stream) => stream.kind === kind)
      .map(({ last, packets, unit }) => {
        const [, time, length] = PACKET.exec(last) ?? []
        return { packets, seconds: (Number(time ?? 0) + Number(length ?? 0)) * unit }
      })
  }

  /** The unit of a stream comes before its kind, both before all packets. */
  #head(line: string): void {
    const [, index, over, under] = UNIT.exec(line) ?? []
    if (index !== undefined)
      this.#streams[Number(index)] = { kind: '', unit: Number(over) / Number(under), packets: 0, last: '' }
    const [, known, kind = ''] = KIND.exec(line) ?? []
    const stream = this.#streams[Number(known)]
    if (stream !== undefined) stream.kind = kind
  }
}

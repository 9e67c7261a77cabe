import { describe, expect, it } from 'vitest'
import { sniffAudioFormat } from '../../../../src/detect/audio/decode/audio-format.js'
import { filesForAll } from '../../../support/temporary-folder.js'
import { rawWav, riffChunk } from '../../../support/wav-file.js'

const fileWith = filesForAll()
const formatOf = async (bytes: Buffer, name?: string) => sniffAudioFormat(await fileWith(bytes, name))

const wav = (tag: number, extensible = false) => rawWav(Buffer.alloc(64), { rate: 8000, tag, bytes: 1, extensible })

describe('WAVE', () => {
  it.each([1, 3, 6, 7])('of codec %i is decoded here, also where its tag is in the extension', async (tag) => {
    expect(await formatOf(wav(tag))).toEqual({ reader: 'wav' })
    expect(await formatOf(wav(tag, true))).toEqual({ reader: 'wav' })
  })

  it.each([2, 0x11, 0x55, 0x161])('of codec %i goes to ffmpeg', async (tag) => {
    expect(await formatOf(wav(tag))).toEqual({ reader: 'ffmpeg', mime: 'audio/wav' })
    expect(await formatOf(wav(tag, true))).toEqual({ reader: 'ffmpeg', mime: 'audio/wav' })
  })

  it('goes to ffmpeg where another chunk comes first, or the header is cut', async () => {
    const early = riffChunk('RIFF', Buffer.concat([Buffer.from('WAVE'), riffChunk('LIST', Buffer.alloc(64))]))
    expect(await formatOf(early)).toEqual({ reader: 'wav' })
    expect(await formatOf(wav(2).subarray(0, 45))).toEqual({ reader: 'wav' })
    expect(await formatOf(wav(2).subarray(0, 46))).toEqual({ reader: 'ffmpeg', mime: 'audio/wav' })
  })

  it('may be RF64, but no other RIFF file is one', async () => {
    const rf64 = Buffer.from(wav(1))
    rf64.write('RF64', 'latin1')
    expect(await formatOf(rf64)).toEqual({ reader: 'wav' })
    const webp = Buffer.from(wav(1))
    webp.write('WEBP', 8, 'latin1')
    await expect(formatOf(webp)).rejects.toMatchObject({ reason: expect.stringMatching(/^media-/) })
  })
})

describe('Ogg', () => {
  function ogg(packet: string, segments = 1): Buffer {
    const header = Buffer.alloc(27 + segments, 30)
    header.write('OggS', 'latin1')
    header[26] = segments
    return Buffer.concat([header, Buffer.from(packet, 'latin1'), Buffer.alloc(40)])
  }

  it.each([
    ['OpusHead', 'ogg-opus'],
    ['\u0001vorbis', 'ogg-vorbis'],
    ['\u007fFLAC', 'ogg-flac'],
  ])('with a first packet %j is %s, whatever number of segments the page has', async (packet, codec) => {
    for (const segments of [0, 1, 3, 255])
      expect(await formatOf(ogg(packet, segments))).toEqual({ reader: 'wasm', codec, from: 0 })
  })

  it.each(['Speex   ', 'opushead', 'vorbis', '\u0080theora'])(
    'with a first packet %j goes to ffmpeg',
    async (packet) => {
      expect(await formatOf(ogg(packet))).toEqual({ reader: 'ffmpeg', mime: 'audio/ogg' })
    },
  )

  it('that ends within its header goes to ffmpeg', async () => {
    expect(await formatOf(Buffer.from('OggS\0'))).toEqual({ reader: 'ffmpeg', mime: 'audio/ogg' })
  })
})

describe('after an ID3 tag', () => {
  /** A tag of `bytes` bytes; its size has seven bits a byte. */
  function tagged(bytes: number, sound: Buffer): Buffer {
    const size = [21, 14, 7, 0].map((bits) => (bytes >> bits) & 0x7f)
    return Buffer.concat([Buffer.from('ID3\u0004\0\0', 'latin1'), Buffer.from(size), Buffer.alloc(bytes), sound])
  }

  it.each([0, 127, 128, 200_000])('of %i bytes the sound begins', async (bytes) => {
    const from = bytes + 10
    expect(await formatOf(tagged(bytes, Buffer.from('fLaC')))).toEqual({ reader: 'wasm', codec: 'flac', from })
    expect(await formatOf(tagged(bytes, Buffer.from('fffb9000', 'hex')))).toEqual({
      reader: 'wasm',
      codec: 'mp3',
      from,
    })
  })

  it.each(['fff15080', 'fff95080', 'fff05080'])('ADTS %s is AAC', async (head) => {
    const format = { reader: 'ffmpeg', mime: 'audio/aac' }
    expect(await formatOf(tagged(20, Buffer.from(head, 'hex')))).toEqual(format)
  })

  it('everything else, and nothing at all, is MP3 with junk before it', async () => {
    for (const sound of [Buffer.alloc(0), Buffer.from('ff', 'hex'), Buffer.from('junk')])
      expect(await formatOf(tagged(20, sound))).toEqual({ reader: 'wasm', codec: 'mp3', from: 30 })
  })
})

it('the file name is ignored', async () => {
  const flac = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(60)])
  expect(await formatOf(flac, 'music.mp3')).toEqual({ reader: 'wasm', codec: 'flac', from: 0 })
})

import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { readRecording } from '../../../src/detect/audio/recording.js'
import { ffmpeg, make } from '../../support/ffmpeg-tool.js'
import { lateTracks } from '../../support/late-tracks.js'
import { levelOf, sine } from '../../support/sounds.js'
import { speechLike } from '../../support/speech.js'
import { filesForAll, folderForTest } from '../../support/temporary-folder.js'
import { unwatched } from '../../support/unwatched-parsers.js'
import { rawWav, riffChunk, type WavCodec, wavFile } from '../../support/wav-file.js'
import { withReason } from '../../support/with-reason.js'

const RATE = 16_000
const TOOLS = { timeoutSeconds: 30, ffmpeg: null, clock: systemClock, parsers: unwatched }
const FIXTURES = packagePath('test', 'fixtures', 'audio')
const tone = sine(440, RATE, 0.25, 0.5)
const fileWith = filesForAll()

const read = async (name: string, bytes: Uint8Array) => readRecording(await fileWith(bytes, name), RATE, TOOLS)
const fixture = (name: string) => fs.readFile(path.join(FIXTURES, name))
/** Largest difference, as a share of full scale. */
const difference = (a: Float32Array, b: Float32Array) =>
  a.reduce((worst, sample, index) => Math.max(worst, Math.abs(sample - (b[index] ?? 0))), 0)

describe('WAVE', () => {
  it.each<[WavCodec, number]>([
    ['u8', 1 / 128],
    ['s16', 1 / 32_768],
    ['s24', 1e-6],
    ['s32', 1e-7],
    ['float', 0],
    ['double', 0],
  ])('with samples of %s', async (codec, step) => {
    for (const extensible of [false, true]) {
      const { samples, ...rest } = await read('tone.wav', wavFile(tone, { rate: RATE, codec, extensible }))
      expect(rest).toEqual({
        format: 'wav',
        sourceRate: RATE,
        channels: 1,
        apart: [],
        seconds: 0.25,
        statedSeconds: 0.25,
        passages: [{ at: 0, seconds: 0 }],
      })
      expect(difference(samples, tone)).toBeLessThanOrEqual(step)
    }
  })

  // Values of ITU-T G.711 (16-bit): the loudest of each sign, the two softest, one of a middle segment.
  it.each([
    ['mu-law', 7, [0x00, 0x80, 0x7f, 0xff, 0x4e, 0xce], [-32_124, 32_124, 0, 0, -988, 988]],
    ['A-law', 6, [0x2a, 0xaa, 0x55, 0xd5, 0x70, 0xf0], [-32_256, 32_256, -8, 8, -688, 688]],
  ])('with %s', async (_, tag, codes, values) => {
    const { samples } = await read('law.wav', rawWav(Buffer.from(codes), { rate: RATE, tag, bytes: 1 }))
    expect([...samples].map((sample) => sample * 32_768 + 0)).toEqual(values)
  })

  it.each([
    ['no size', 0],
    ['a size of 4 GB', 0xffff_ffff],
    ['a size of 2 GB', 0x7fff_ffff],
    ['a larger size than the file', 1_000_000],
  ])('reads to the end where the header states %s', async (_, statedBytes) => {
    const { seconds } = await read('stream.wav', wavFile(tone, { rate: RATE, statedBytes }))
    expect(seconds).toBe(0.25)
  })

  it.each([
    ['at once', []],
    ['behind tags', [riffChunk('LIST', Buffer.from('odd'))]],
  ])('refuses a second data chunk %s, which players play', async (_, between) => {
    const more = Buffer.concat([wavFile(tone, { rate: RATE }), ...between, riffChunk('data', Buffer.alloc(800))])
    await expect(read('pieces.wav', more)).rejects.toMatchObject({ reason: 'media-unsupported' })
  })

  it('hears samples beyond full scale as they are played', async () => {
    const loud = Float32Array.from({ length: RATE }, (_, index) => (index % 2 === 0 ? 51 : -50))
    const { samples } = await read('loud.wav', wavFile(loud, { rate: RATE, codec: 'float' }))
    expect(samples[RATE / 2]).toBe(1)
    expect(samples[RATE / 2 + 1]).toBe(-1)
  })

  it('takes the mean of the channels', async () => {
    const left = sine(440, RATE, 0.1, 0.5)
    const stereo = left.map((sample) => sample)
    const interleaved = Float32Array.from({ length: stereo.length * 2 }, (_, index) =>
      index % 2 === 0 ? (left[index / 2] as number) : 0,
    )
    const bytes = rawWav(Buffer.from(interleaved.buffer), { rate: RATE, tag: 3, bytes: 4, channels: 2 })
    const { samples, channels } = await read('stereo.wav', bytes)
    expect(channels).toBe(2)
    expect(
      difference(
        samples,
        left.map((sample) => sample / 2),
      ),
    ).toBe(0)
  })
})

describe('channels that differ from their mean', () => {
  const wavOf = (...channels: Float32Array[]) => {
    const count = channels.length
    const interleaved = Float32Array.from(
      { length: count * (channels[0]?.length ?? 0) },
      (_, index) => channels[index % count]?.[Math.floor(index / count)] as number,
    )
    return rawWav(Buffer.from(interleaved.buffer), { rate: RATE, tag: 3, bytes: 4, channels: count })
  }
  const apart = async (...channels: Float32Array[]) => (await read('channels.wav', wavOf(...channels))).apart
  const loud = sine(440, RATE, 8, 0.5)
  const soft = sine(880, RATE, 8, 0.03)

  it('are named where they cancel each other out for some of the time, softer than the rest', async () => {
    const left = loud.map((sample, at) => (at % (4 * RATE) < 2 * RATE ? sample : 5 * (soft[at] as number)))
    const right = left.map((sample, at) => (at % (4 * RATE) < 2 * RATE ? sample : -sample))
    expect(await apart(left, right)).toEqual([0, 1])
    expect(await apart(left, left)).toEqual([])
  })

  it('are not named where they only differ in level, or for less than a second', async () => {
    expect(
      await apart(
        loud,
        loud.map((sample) => sample / 3),
      ),
    ).toEqual([])
    expect(
      await apart(
        loud,
        loud.map((sample, at) => (at < RATE / 2 ? -sample : sample)),
      ),
    ).toEqual([])
  })

  it('are named next to a loud one for low frequencies, which players drop', async () => {
    const none = new Float32Array(loud.length)
    expect(await apart(soft, soft, soft, loud, none, none)).toEqual([0, 1, 2])
    expect(await apart(loud, soft)).toEqual([])
  })
})

describe('other formats, without ffmpeg', () => {
  const voice = speechLike(2, RATE)

  it.each([
    ['speech.mp3', 'mp3', 44_100, 2],
    ['speech-mono.mp3', 'mp3', 16_000, 1],
    ['speech.mp2', 'mp3', 22_050, 1],
    ['speech.flac', 'flac', 8000, 1],
    ['speech-flac.ogg', 'ogg flac', 8000, 1],
    ['speech-vorbis.ogg', 'ogg vorbis', 32_000, 1],
    ['speech-opus.ogg', 'ogg opus', 48_000, 2],
  ])('%s', async (name, format, sourceRate, channels) => {
    const recording = await readRecording(path.join(FIXTURES, name), RATE, TOOLS)
    expect(recording).toMatchObject({ format, sourceRate, channels })
    expect(recording.samples).toHaveLength(Math.ceil(recording.seconds * RATE))
    expect(levelOf(recording.samples)).toBeCloseTo(levelOf(voice.subarray(0, recording.samples.length)), -1)
    expect(await readRecording(path.join(FIXTURES, name), RATE, TOOLS)).toEqual(recording)
  })

  it('returns what was encoded without loss', async () => {
    const { samples, seconds } = await readRecording(path.join(FIXTURES, 'speech.flac'), 8000, TOOLS)
    expect(seconds).toBe(1)
    const inOgg = await readRecording(path.join(FIXTURES, 'speech-flac.ogg'), 8000, TOOLS)
    expect(difference(samples.subarray(0, 7000), inOgg.samples)).toBe(0)
  })

  it('skips tags, pictures and junk in MP3', async () => {
    const mp3 = await fixture('speech-mono.mp3')
    const tag = Buffer.concat([Buffer.from('ID3\u0003\0\0\0\u0001\0\0', 'latin1'), Buffer.alloc(128 * 128, 0xff)])
    const junk = Buffer.from('<html><script>alert(1)</script></html>'.repeat(100))
    const whole = await read('whole.mp3', mp3)
    expect((await read('tagged.mp3', Buffer.concat([tag, mp3, junk]))).samples).toEqual(whole.samples)
    const split = await read('split.mp3', Buffer.concat([mp3.subarray(0, 4000), junk, mp3.subarray(4000)]))
    expect(Math.abs(split.seconds - whole.seconds)).toBeLessThan(0.2)
  })

  it.each([
    ['WAVE', () => wavFile(tone, { rate: RATE })],
    ['Ogg', () => fixture('speech-opus.ogg')],
  ])('refuses %s after a tag of MP3, whose MP3 parts players play', async (_, make) => {
    const tag = Buffer.from('ID3\u0004\0\0\0\0\0\0', 'latin1')
    const footer = Buffer.from('3DI\u0004\0\u0010\0\0\0\0', 'latin1')
    const withFooter = Buffer.concat([Buffer.from('ID3\u0004\0\u0010\0\0\0\0', 'latin1'), footer])
    for (const front of [tag, withFooter]) {
      const whole = Buffer.concat([front, await make(), await fixture('speech-mono.mp3')])
      await expect(read('tagged.mp3', whole)).rejects.toMatchObject({ reason: 'media-unsupported' })
    }
  })

  it('refuses a FLAC that continues after a fault, as players do', async () => {
    const flac = await fixture('speech.flac')
    const faulty = Buffer.concat([flac, Buffer.alloc(5000, 7), flac, flac])
    await expect(read('faulty.flac', faulty)).rejects.toMatchObject({ reason: 'media-corrupt' })
    expect((await read('tagged.flac', Buffer.concat([flac, Buffer.alloc(1000, 7)]))).seconds).toBeGreaterThan(0.9)
  })

  it('reads all channels of an MP3 that begins with one', async () => {
    const { samples, channels } = await readRecording(path.join(FIXTURES, 'mono-then-right.mp3'), RATE, TOOLS)
    expect(channels).toBe(2)
    const [mono, right] = [samples.subarray(0, samples.length / 2), samples.subarray(samples.length / 2)]
    // The mean of a sound and of silence is half of it: 6 dB less.
    expect(levelOf(mono) - levelOf(right)).toBeCloseTo(6, -1)
  })

  it.each(['speech-opus.ogg', 'speech-vorbis.ogg', 'speech-flac.ogg'])(
    'refuses a second recording after the first: %s',
    async (name) => {
      const ogg = await fixture(name)
      const other = await fixture('speech-vorbis.ogg')
      for (const chain of [
        [ogg, ogg],
        [ogg, other],
      ])
        await expect(read('chain.ogg', Buffer.concat(chain))).rejects.toThrow(
          withReason('media-unsupported', /several recordings/),
        )
    },
  )

  it('skips what lies between Ogg pages', async () => {
    const ogg = await fixture('speech-opus.ogg')
    const { samples } = await read('plain.ogg', ogg)
    expect((await read('tail.ogg', Buffer.concat([ogg, Buffer.alloc(70_000, 7)]))).samples).toEqual(samples)
  })

  it.each(['speech.mp3', 'speech.flac', 'speech-vorbis.ogg', 'speech-opus.ogg'])(
    'reads the available part of a truncated file: %s',
    async (name) => {
      const bytes = await fixture(name)
      const [whole, part] = await Promise.all(
        [bytes, bytes.subarray(0, bytes.length * 0.75)].map((each, index) => read(`${index}-${name}`, each)),
      )
      expect(part?.seconds).toBeGreaterThan(0)
      expect(part?.seconds).toBeLessThan(whole?.seconds ?? 0)
    },
  )

  it.each([
    ['speech-aac.m4a', 'audio/x-m4a'],
    ['speech-opus.webm', 'video/webm'],
  ])('states what %s needs', async (name, mime) => {
    await expect(readRecording(path.join(FIXTURES, name), RATE, TOOLS)).rejects.toThrow(
      withReason('media-unsupported', new RegExp(`${mime} needs ffmpeg.*ATTESTD_FFMPEG`)),
    )
  })
})

describe.skipIf(ffmpeg === null)('other formats, with ffmpeg (skipped where there is none)', () => {
  const tools = { ...TOOLS, ffmpeg }

  it.each([
    ['speech-aac.m4a', 'm4a aac', 44_100],
    ['speech-opus.webm', 'webm opus', 48_000],
  ])('%s', async (name, format, sourceRate) => {
    const recording = await readRecording(path.join(FIXTURES, name), RATE, tools)
    expect(recording).toMatchObject({ format, sourceRate, channels: 1 })
    expect(recording.seconds).toBeCloseTo(2, 0)
    expect(await readRecording(path.join(FIXTURES, name), RATE, tools)).toEqual(recording)
  })

  it.each([
    ['m4a', 'aac', '0', true],
    ['m4a', 'aac', '1', false],
    ['webm', 'libopus', '1', false],
    ['wma', 'wmav2', '0', false],
    ['ts', 'aac', '0', false],
  ])('%s with two tracks of %s, of which players choose number %s', async (kind, codec, chosen, isTaken) => {
    const file = path.join(await folderForTest(), `two.${kind}`)
    const source = ['-t', '1', '-i', path.join(FIXTURES, 'speech-aac.m4a')]
    const flags = ['-disposition:a', '0', `-disposition:a:${chosen}`, 'default']
    await make(...source, ...source, '-map', '0', '-map', '1', '-c:a', codec, ...flags, file)
    const reading = readRecording(file, RATE, tools)
    if (isTaken) expect((await reading).seconds).toBeCloseTo(1, 0)
    else await expect(reading).rejects.toThrow(withReason('media-unsupported', 'several tracks'))
  })

  it('a WebM whose first track is disabled, which only some players pass over, is refused', async () => {
    const file = path.join(await folderForTest(), 'disabled.webm')
    const source = ['-f', 'lavfi', '-i', 'sine=d=1', '-map', '0', '-map', '0', '-c:a', 'libopus']
    await make(...source, '-disposition:a:0', '0', '-disposition:a:1', 'default', file)
    const bytes = await fs.readFile(file)
    // FlagDefault of the first track becomes FlagEnabled, both 0.
    bytes.writeUInt8(0xb9, bytes.indexOf('888100', 'hex'))
    await fs.writeFile(file, bytes)
    await expect(readRecording(file, RATE, tools)).rejects.toThrow(withReason('media-unsupported', /disabled/))
  })

  it('an MPEG-TS that goes over to other tracks in its middle is refused', async () => {
    const reading = readRecording(await lateTracks(), RATE, tools)
    await expect(reading).rejects.toThrow(withReason('media-unsupported', 'several tracks'))
  })

  it.each([
    ['avi', 'mpeg4', 'mp3'],
    ['flv', 'flv', 'mp3'],
    ['mpg', 'mpeg1video', 'mp2'],
    ['vob', 'mpeg2video', 'ac3'],
  ])('the sound of a video in %s', async (kind, pictures, sound) => {
    const file = path.join(await folderForTest(), `video.${kind}`)
    const source = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=25:d=1', '-f', 'lavfi', '-i', 'sine=d=1']
    await make(...source, '-c:v', pictures, '-c:a', sound, file)
    expect((await readRecording(file, RATE, tools)).seconds).toBeCloseTo(1, 0)
  })

  it('is not used for what is decoded here', async () => {
    const nowhere = { ...TOOLS, ffmpeg: path.join(FIXTURES, 'no-such-program') }
    const file = path.join(FIXTURES, 'speech-opus.ogg')
    expect(await readRecording(file, RATE, nowhere)).toEqual(await readRecording(file, RATE, TOOLS))
  })
})

const wav = (options: Partial<Parameters<typeof wavFile>[1]> = {}, samples = tone) =>
  wavFile(samples, { rate: RATE, ...options })

it.each<[string, () => Uint8Array | Promise<Uint8Array>, string, RegExp]>([
  ['no bytes', () => Buffer.alloc(0), 'media-empty', /no bytes/],
  ['a header alone', () => wav({}, new Float32Array(0)), 'media-empty', /no sample/],
  [
    'samples that are not numbers',
    () =>
      wav(
        { codec: 'float' },
        tone.map(() => Number.NaN),
      ),
    'media-corrupt',
    /full scale/,
  ],
  [
    'as many channels as a header can hold',
    () => rawWav(Buffer.alloc(400_000), { rate: RATE, tag: 1, bytes: 1, channels: 65_535 }),
    'media-too-complex',
    /65535 channels/,
  ],
  [
    'an unknown codec',
    () => rawWav(Buffer.alloc(99), { rate: RATE, tag: 0x99, bytes: 1 }),
    'media-unsupported',
    /ffmpeg/,
  ],
  [
    'an MP3 without a frame',
    () => Buffer.concat([Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1'), Buffer.alloc(5000)]),
    'media-corrupt',
    /no mp3 frame/,
  ],
  ['a FLAC header alone', async () => (await fixture('speech.flac')).subarray(0, 60), 'media-corrupt', /no flac frame/],
  [
    'an Ogg page alone',
    async () => (await fixture('speech-opus.ogg')).subarray(0, 200),
    'media-corrupt',
    /no ogg-opus frame/,
  ],
  [
    'broken packets',
    async () => spoilt(await fixture('speech-vorbis.ogg'), 9000, 400),
    'media-corrupt',
    /cannot be decoded/,
  ],
  ['a cut M4A', async () => (await fixture('speech-aac.m4a')).subarray(0, 9000), 'media-corrupt', /tracks is missing/],
  ['an encrypted M4A', () => fixture('encrypted.m4a'), 'media-unsupported', /encrypted/],
  [
    'random bytes',
    () => Buffer.from(Uint8Array.from({ length: 5000 }, (_, index) => (index * 37 + 128) % 256)),
    'media-unsupported',
    /no signature/,
  ],
  ['a picture', () => fs.readFile(packagePath('samples', 'coffee.jpg')), 'media-type-mismatch', /image\/jpeg/],
  [
    'a picture before an MP3',
    async () => Buffer.concat([await fs.readFile(packagePath('samples', 'coffee.jpg')), await fixture('speech.mp3')]),
    'media-type-mismatch',
    /image\/jpeg/,
  ],
  [
    'an HLS playlist',
    () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'),
    'media-type-mismatch',
    /playlist/,
  ],
  ['an archive', () => Buffer.from('504b0304140000000000', 'hex'), 'media-type-mismatch', /zip/],
])('refusals %s', async (name, make, reason, message) => {
  const file = `${name.replaceAll(' ', '-')}.bin`
  await expect(read(file, await make())).rejects.toThrow(withReason(reason, message))
})

/** Every tenth byte of a stretch turned around. */
function spoilt(bytes: Buffer, from: number, length: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = from; at < from + length; at += 10) copy[at] = (copy[at] as number) ^ 0xff
  return copy
}

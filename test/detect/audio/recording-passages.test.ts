import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { type Recording, readRecording } from '../../../src/detect/audio/recording.js'
import { ffmpeg, make } from '../../support/ffmpeg-tool.js'
import { silentFlac } from '../../support/silent-flac.js'
import { folderForAll } from '../../support/temporary-folder.js'
import { unwatched } from '../../support/unwatched-parsers.js'
import { rawWav } from '../../support/wav-file.js'
import { withReason } from '../../support/with-reason.js'

const RATE = 8000
const LONG_SECONDS = 200
/** Pitch at the beginning, Hz, and what it rises by each second. */
const PITCH = [300, 3] as const
const folder = folderForAll()

const place = (name: string) => path.join(folder, name)
const read = (file: string) =>
  readRecording(file, RATE, { timeoutSeconds: 60, ffmpeg, clock: systemClock, parsers: unwatched })

const bytesOf = ({ buffer }: Float32Array) => Buffer.from(buffer as ArrayBuffer)

async function readBytes(name: string, bytes: Uint8Array): Promise<Recording> {
  await fs.writeFile(place(name), bytes)
  return read(place(name))
}

/** A WAVE file of a tone that tells its time: it rises steadily. */
function rising(seconds: number, channels = 1): Buffer {
  const samples = new Int16Array(seconds * RATE * channels)
  for (let index = 0; index < samples.length; index++) {
    const time = Math.floor(index / channels) / RATE
    samples[index] = 16_000 * Math.sin(2 * Math.PI * (PITCH[0] + (PITCH[1] / 2) * time) * time)
  }
  return rawWav(Buffer.from(samples.buffer), { rate: RATE, tag: 1, bytes: 2, channels })
}

/** Time in the rising tone, by its zero crossings in the second behind the first of a passage. */
function timesOf({ samples, passages }: Recording): number[] {
  return passages.map(({ at }) => {
    const second = samples.subarray(at + RATE, at + 2 * RATE)
    const rises = second.filter((sample, index) => sample >= 0 && (second[index - 1] ?? 0) < 0).length
    return (rises - PITCH[0]) / PITCH[1] - 1.5
  })
}

/** Four passages: the beginning, the end, and one in each half between, 48 s together, each with the sound of its time. */
function expectSpread(recording: Recording): void {
  const starts = recording.passages.map(({ seconds }) => seconds)
  const [first, second, third, last] = starts as [number, number, number, number]
  expect([starts.length, first]).toEqual([4, 0])
  expect(last).toBeCloseTo(LONG_SECONDS - 12, -1)
  for (const [start, from, to] of [
    [second, 12, LONG_SECONDS / 2 - 12],
    [third, LONG_SECONDS / 2, LONG_SECONDS - 24],
  ] as const) {
    expect(start).toBeGreaterThan(from - 1)
    expect(start).toBeLessThan(to + 1)
  }
  for (const [index, time] of timesOf(recording).entries())
    expect(Math.abs(time - (starts[index] as number)), `passage ${index}`).toBeLessThan(10)
  expect(recording.seconds).toBeGreaterThan(44)
  expect(recording.seconds).toBeLessThanOrEqual(48)
  expect(recording.samples.length / RATE).toBeCloseTo(recording.seconds, 1)
}

describe('a long recording is heard in passages', () => {
  it('of WAVE, entered between two samples', async () => {
    const recording = await readBytes('long.wav', rising(LONG_SECONDS, 2))
    expect(recording).toMatchObject({ seconds: 48, statedSeconds: LONG_SECONDS })
    expectSpread(recording)
    expect(bytesOf((await read(place('long.wav'))).samples).equals(bytesOf(recording.samples))).toBe(true)
  })

  it('between its beginning and its end at places that change with its bytes', async () => {
    const placesOf = async (name: string) => (await readBytes(name, rising(LONG_SECONDS))).passages
    const long = await placesOf('a.wav')
    await fs.appendFile(place('a.wav'), 'x')
    const other = (await read(place('a.wav'))).passages
    expect([other[0], other[3]]).toEqual([long[0], long[3]])
    expect(other[1]?.seconds).not.toBe(long[1]?.seconds)
    expect(other[2]?.seconds).not.toBe(long[2]?.seconds)
  })

  it('and one of 48 s as a whole', async () => {
    const recording = await readBytes('short.wav', rising(48))
    expect(recording).toMatchObject({ seconds: 48, passages: [{ at: 0, seconds: 0 }] })
  })

  it('an hour of MPEG audio decodes to no more than 48 s', async () => {
    const clip = await fs.readFile(packagePath('test', 'fixtures', 'audio', 'speech-mono.mp3'))
    const { seconds, statedSeconds, passages } = await readBytes('hour.mp3', Buffer.concat(Array(1800).fill(clip)))
    expect(statedSeconds).toBeGreaterThan(3000)
    expect(passages).toHaveLength(4)
    expect(seconds).toBeLessThanOrEqual(48)
  })

  it('less of eight channels', async () => {
    const { seconds, channels } = await readBytes('eight.flac', silentFlac(400))
    expect({ seconds, channels }).toEqual({ seconds: 24, channels: 8 })
  })

  it.each([
    ['that states no length', 400, 0],
    ['that states a false length', 400, 8],
    ['of which only the beginning is decoded, for its channels', 30, 30 * 65_535],
  ])('and one %s is refused: its maker would choose what is heard', async (_, frames, samples) => {
    const flac = silentFlac(frames)
    flac.writeUInt32BE(samples, 22)
    await expect(readBytes('false.flac', flac)).rejects.toThrow(
      withReason('media-unsupported', 'longer than it states'),
    )
  })
})

describe.skipIf(ffmpeg === null)('by ffmpeg (skipped where there is none)', () => {
  beforeAll(() => fs.writeFile(place('tone.wav'), rising(LONG_SECONDS)))

  it.each([
    ['opus.ogg', ['-c:a', 'libopus', '-b:a', '16k']],
    ['vorbis.ogg', ['-c:a', 'libvorbis', '-ar', '16000', '-q:a', '1']],
    ['flac.oga', ['-c:a', 'flac', '-f', 'ogg']],
    ['plain.flac', ['-c:a', 'flac']],
    ['constant.mp3', ['-c:a', 'libmp3lame', '-b:a', '32k']],
    ['aac.m4a', ['-c:a', 'aac', '-b:a', '32k']],
    ['opus.webm', ['-c:a', 'libopus', '-b:a', '16k']],
    ['live.webm', ['-c:a', 'libopus', '-b:a', '16k', '-live', '1']],
    ['plain.aac', ['-c:a', 'aac', '-b:a', '32k']],
    ['plain.ac3', ['-c:a', 'ac3', '-ar', '32000']],
    ['plain.aiff', ['-c:a', 'pcm_s16be']],
    ['mpeg.ts', ['-c:a', 'mp2', '-ar', '16000']],
  ])('a long %s', async (name, codec) => {
    await make('-i', place('tone.wav'), ...codec, place(name))
    expectSpread(await read(place(name)))
  })

  it.each([
    ['false.m4a', ['-c:a', 'aac', '-b:a', '32k'], 'mdhd', 20],
    ['false.webm', ['-c:a', 'libopus', '-b:a', '16k'], '\x44\x89\x88', 3],
  ])('a long %s that states a short length', async (name, codec, field, behind) => {
    await make('-i', place('tone.wav'), ...codec, place(name))
    const bytes = await fs.readFile(place(name))
    // A hundredth of the length, in units of 1/8000 s, or as a float in ms.
    const at = bytes.indexOf(field, 0, 'latin1') + behind
    if (field === 'mdhd') bytes.writeUInt32BE(2 * RATE, at)
    else bytes.writeDoubleBE(2000, at)
    expectSpread(await readBytes(name, bytes))
  })

  it('a long file that was cut off in its middle', async () => {
    await make('-i', place('tone.wav'), '-c:a', 'aac', '-b:a', '32k', '-movflags', '+faststart', place('whole.m4a'))
    const bytes = await fs.readFile(place('whole.m4a'))
    const { passages } = await readBytes('half.m4a', bytes.subarray(0, bytes.length / 2))
    expect(passages.length).toBeLessThan(4)
    expect(passages[0]).toEqual({ at: 0, seconds: 0 })
  })

  it.each([
    ['of little hiss', ['-f', 'lavfi', '-i', 'anoisesrc=d=100:a=0.00001:r=48000'], '500'],
    ['of nothing', ['-f', 'lavfi', '-i', 'anullsrc=d=100:r=48000'], '6000'],
  ])('a long Opus %s is refused before it is decoded', async (_, source, rate) => {
    const opus = ['-ac', '1', '-c:a', 'libopus', '-b:a', rate, '-frame_duration', '60', '-application', 'voip']
    await make(...source, ...opus, place('silent.ogg'))
    await expect(read(place('silent.ogg'))).rejects.toThrow(withReason('media-without-speech', /packets/))
  })

  it.each([
    ['6k', '60', ['-vbr', 'on']],
    ['6k', '20', ['-vbr', 'off']],
    ['3k', '20', ['-vbr', 'on']],
    ['6k', '20', ['-dtx', '1']],
  ])('speech in Opus of %sbit/s in packets of %s ms is heard %s', async (rate, ms, options) => {
    const opus = [
      '-ac',
      '1',
      '-c:a',
      'libopus',
      '-b:a',
      rate,
      '-frame_duration',
      ms,
      '-application',
      'voip',
      ...options,
    ]
    await make('-i', packagePath('samples', 'inaugural-address.ogg'), ...opus, place('low.ogg'))
    expect((await read(place('low.ogg'))).seconds).toBeCloseTo(10, -1)
  })
})

/**
 * What decoding a video costs: processor time for the planned frames of a clip that is made on the spot (1080p30 H.264,
 * 60 s, a keyframe every 8 s, as encoders make by default), beside that of decoding it whole with a bare ffmpeg.
 *
 *   npm run bench:video [-- --seconds 60 --keyframes 250]
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/core/clock.js'
import { packagePath } from '../../src/core/files.js'
import { ffmpegCage } from '../../src/detect/ffmpeg/ffmpeg-cage.js'
import { readFrames } from '../../src/detect/video/read-frames.js'
import { ffmpeg } from '../support/ffmpeg-tool.js'
import { unwatched } from '../support/unwatched-parsers.js'
import { processorMs } from './processor-time.js'

const { values: asked } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    keyframes: { type: 'string', default: '250' },
    frames: { type: 'string', default: '32' },
    bitrate: { type: 'string', default: '5M' },
    height: { type: 'string', default: '1080' },
  },
})
if (ffmpeg === null) throw new Error('ffmpeg is needed')
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-bench-video-'))
const clip = path.join(folder, 'clip.mp4')
try {
  await ffmpegCage()
  makeClip(clip)
  const whole = await cpuSeconds(async () => {
    execFileSync(ffmpeg as string, ['-nostdin', '-loglevel', 'error', '-threads', '1', '-i', clip, '-f', 'null', '-'])
  })
  let reported = ''
  const planned = await cpuSeconds(async () => {
    reported = await decode(clip)
  })
  console.log(`clip: ${(await fs.stat(clip)).size} bytes`)
  console.log(`bare ffmpeg, every frame, one thread: ${whole.toFixed(2)} CPU s`)
  console.log(`planned frames (${reported}): ${planned.toFixed(2)} CPU s, ${(planned / whole).toFixed(2)} of the above`)
} finally {
  await fs.rm(folder, { recursive: true })
}

/** A slow pan over a photograph with sensor noise: textured and moving, as recordings are. */
function makeClip(out: string): void {
  const picture = packagePath('samples', 'raccoon.jpg')
  const height = Number(asked.height)
  const width = Math.round((height * 16) / 18) * 2
  const filters = `scale=${width * 1.2}:-2,crop=${width}:${height}:x=(iw-ow)*t/${asked.seconds}:y=0,noise=alls=5:allf=t,format=yuv420p`
  const input = ['-loop', '1', '-framerate', '30', '-t', asked.seconds, '-i', picture]
  const codec = ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', asked.bitrate, '-g', asked.keyframes]
  execFileSync(ffmpeg as string, ['-nostdin', '-loglevel', 'error', '-y', ...input, '-vf', filters, ...codec, out])
}

async function decode(file: string): Promise<string> {
  const tools = { timeoutSeconds: 600, ffmpeg, clock: systemClock, parsers: unwatched }
  const video = await readFrames(file, Number(asked.frames), tools)
  const times: number[] = []
  for await (const { seconds } of video.frames()) times.push(seconds)
  await video.close()
  return `${times.length} from ${times[0]?.toFixed(1)} to ${times.at(-1)?.toFixed(1)} s`
}

/** Processor time of this process and its ended children. */
async function cpuSeconds(work: () => Promise<void>): Promise<number> {
  const before = await processorMs()
  await work()
  return ((await processorMs()) - before) / 1000
}

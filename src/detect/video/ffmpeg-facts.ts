import fs from 'node:fs/promises'
import { runFfmpeg } from '../ffmpeg/run-ffmpeg.js'
import type { PlanFacts } from './frame-plan.js'

/** Longest time that the packets of a file are walked, ms; 1 GB took about a second. */
const WALK_TIMEOUT_MS = 20_000
/** Taken for the size of the frames, which is not known before one is decoded. */
const ASSUMED = { width: 1920, height: 1080 }

/** Length and rate of a container that only ffmpeg reads, by its packets, undecoded. @throws as `runFfmpeg` */
export async function ffmpegFacts(ffmpeg: string, file: string, demuxer: string): Promise<PlanFacts> {
  let progress = ''
  await runFfmpeg({
    ffmpeg,
    file,
    inputOptions: ['-f', demuxer],
    args: ['-map', '0:V:0', '-an', '-c', 'copy', '-progress', 'pipe:3', '-f', 'null'],
    maxBytes: 0,
    timeoutMs: WALK_TIMEOUT_MS,
    onSide: (text) => {
      progress += text
    },
  })
  const seconds = lastOf(progress, 'out_time_us') / 1e6
  const { size } = await fs.stat(file)
  return {
    ...ASSUMED,
    seconds,
    framesPerSecond: seconds > 0 ? lastOf(progress, 'frame') / seconds : 0,
    bitsPerSecond: seconds > 0 ? (size * 8) / seconds : 0,
    keyframes: [],
    listedAll: false,
  }
}

/** The last value of a key in ffmpeg's reports of progress; 0 where there is none. */
function lastOf(text: string, key: string): number {
  const value = Number(
    text
      .match(new RegExp(`^${key}=(\\d+)$`, 'gm'))
      ?.at(-1)
      ?.slice(key.length + 1),
  )
  return Number.isFinite(value) ? value : 0
}

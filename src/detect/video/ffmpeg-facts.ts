import fs from 'node:fs/promises'
import { walkPackets } from '../ffmpeg/walk-packets.js'
import type { PlanFacts } from './frame-plan.js'

/** Taken for the size of the frames, which is not known before one is decoded. */
const ASSUMED = { width: 1920, height: 1080 }

/** Length and rate of a container that only ffmpeg reads, by its packets, undecoded. @throws as `runFfmpeg` */
export async function ffmpegFacts(ffmpeg: string, file: string, demuxer: string): Promise<PlanFacts> {
  const { seconds, packets } = await walkPackets(ffmpeg, file, '0:V:0', ['-f', demuxer])
  const { size } = await fs.stat(file)
  return {
    ...ASSUMED,
    seconds,
    framesPerSecond: seconds > 0 ? packets / seconds : 0,
    bitsPerSecond: seconds > 0 ? (size * 8) / seconds : 0,
    keyframes: [],
    listedAll: false,
  }
}

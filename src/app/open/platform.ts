import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../../core/version.js'
import { ffmpegVersion } from './ffmpeg-version.js'

/** Libraries that compute scores; another version may give other last bits. */
const LIBRARIES = ['onnxruntime-node', 'sharp'] as const

/**
 * What a score was computed on: processor (kernels are chosen by what it can do), operating system, attestd, node,
 * libraries, ffmpeg. On the same one the same bytes give the same score, bit for bit.
 * @param ffmpeg absolute path; null where there is none
 */
export async function describePlatform(ffmpeg: string | null): Promise<string> {
  const processor = os.cpus()[0]?.model.trim() || 'unknown processor'
  const libraries = await Promise.all(LIBRARIES.map(async (name) => `${name} ${await versionOf(name)}`))
  const decoder = ffmpeg === null ? 'none' : await ffmpegVersion(ffmpeg).catch(() => 'unknown')
  const system = `${process.platform} ${process.arch}`
  return [processor, system, `attestd ${VERSION}`, `node ${process.version}`, ...libraries, `ffmpeg ${decoder}`].join(
    ', ',
  )
}

/** Read from the package's own folder, because loading these libraries is for the detector processes. */
async function versionOf(library: string): Promise<string> {
  let folder = path.dirname(fileURLToPath(import.meta.resolve(library)))
  while (path.basename(folder) !== library && folder !== path.dirname(folder)) folder = path.dirname(folder)
  const text = await fs.readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '{}')
  return String((JSON.parse(text) as { version?: unknown }).version ?? 'unknown')
}

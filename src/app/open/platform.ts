import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../../core/version.js'
import { ffmpegVersion } from './ffmpeg-version.js'

/** Libraries that compute scores; another version may give other last bits. */
const LIBRARIES = ['onnxruntime-node', 'sharp'] as const

/** Instructions by which kernels are chosen, by /proc/cpuinfo's names: virtual machines of one name differ in them. */
const INSTRUCTIONS = ['avx2', 'avx512f', 'avx_vnni', 'avx512_vnni', 'amx_int8', 'asimddp', 'i8mm', 'sve']

/**
 * What a score was computed on: processor with its `INSTRUCTIONS`, operating system, attestd, node, libraries, ffmpeg.
 * On the same one the same bytes give the same score, bit for bit.
 * @param ffmpeg absolute path; null where there is none
 */
export async function describePlatform(ffmpeg: string | null): Promise<string> {
  const model = os.cpus()[0]?.model.trim() || 'unknown processor'
  const instructions = instructionsOf(await fs.readFile('/proc/cpuinfo', 'latin1').catch(() => ''))
  const processor = [model, ...instructions].join(' ')
  const libraries = await Promise.all(LIBRARIES.map(async (name) => `${name} ${await versionOf(name)}`))
  const decoder = ffmpeg === null ? 'none' : await ffmpegVersion(ffmpeg).catch(() => 'unknown')
  const system = `${process.platform} ${process.arch}`
  return [processor, system, `attestd ${VERSION}`, `node ${process.version}`, ...libraries, `ffmpeg ${decoder}`].join(
    ', ',
  )
}

/** Those of `INSTRUCTIONS` that the text of /proc/cpuinfo lists for the first processor. */
export function instructionsOf(cpuinfo: string): string[] {
  const listed = /^(?:flags|Features)\s*:(.*)$/m.exec(cpuinfo)?.[1]?.split(/\s+/) ?? []
  return INSTRUCTIONS.filter((each) => listed.includes(each))
}

/** Read from the package's own folder, because loading these libraries is for the detector processes. */
async function versionOf(library: string): Promise<string> {
  let folder = path.dirname(fileURLToPath(import.meta.resolve(library)))
  while (path.basename(folder) !== library && folder !== path.dirname(folder)) folder = path.dirname(folder)
  const text = await fs.readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '{}')
  return String((JSON.parse(text) as { version?: unknown }).version ?? 'unknown')
}

import fs from 'node:fs/promises'
import { type Wrapper, wrapperPath } from '../contract/wrapper.js'

/**
 * What a process may map for writing beyond the memory at which it is killed, bytes. All packages with the sample media had mapped
 * 160 MiB more than was resident (VmData, VmRSS), and with Node 24 and 26 another 512 MiB, which V8 reserves. The rest is for a
 * decoder that asks for much at once: the watch should come first, since a decoder that is refused memory calls the file corrupt.
 */
export const MAPPED_BYTES = 1.5 * 1024 ** 3

/** Tried without a limit, which fails where the kernel holds one that this user cannot raise. */
const LIMITER: Wrapper = { name: 'prlimit', args: ['--data=unlimited', '--fsize=unlimited'] }

let limiter: Promise<string | null> | undefined

/** The program by which the kernel limits a process, tried out once; null where there is none (prlimit of util-linux). */
export function memoryLimiter(): Promise<string | null> {
  limiter ??= wrapperPath(LIMITER)
  return limiter
}

/**
 * The command line before that of a detector process: behind the watch, which reads its memory now and then, the kernel refuses it
 * more (RLIMIT_DATA).
 * @param program of `memoryLimiter`
 * @param memoryBytes at which the watch ends it
 * @param fileBytes largest file it may write; null for any
 */
export function limitLine(program: string | null, memoryBytes: number, fileBytes: number | null): string[] {
  if (program === null) return []
  const file = fileBytes === null ? [] : [`--fsize=${fileBytes}`]
  return [program, `--data=${Math.ceil(memoryBytes) + MAPPED_BYTES}`, ...file, '--']
}

/** Resident memory of a process in bytes, by /proc. @returns null where there is no such process or no /proc */
export async function residentBytes(pid: number): Promise<number | null> {
  const status = await fs.readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}

import fs from 'node:fs/promises'

/**
 * Resident memory of a process in bytes, from Linux's /proc.
 * @returns null where there is no such process or no /proc
 */
export async function residentBytes(pid: number): Promise<number | null> {
  const status = await fs.readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}

import fs from 'node:fs/promises'

/** As the kernel counts in /proc/PID/stat on Linux. */
const TICKS_PER_SECOND = 100

/** Processor time of a process and its ended children, ms; 0 where there is none. */
export async function processorMs(pid: number | 'self' = 'self'): Promise<number> {
  const { own, ended } = await timesOf(pid)
  return own + ended
}

/** Processor time of a process alone, and of all that it started, whether they still run or not, ms. */
export async function sharesMs(pid: number): Promise<{ own: number; children: number }> {
  const living = await childrenMs(pid)
  const { own, ended } = await timesOf(pid)
  return { own, children: ended + living }
}

async function timesOf(pid: number | 'self'): Promise<{ own: number; ended: number }> {
  const stat = await fs.readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // utime, stime, cutime, cstime: fields 14 to 17 of proc(5).
  const [user = 0, system = 0, ...ended] = fields
    .slice(11, 15)
    .map((ticks) => (Number(ticks) * 1000) / TICKS_PER_SECOND)
  return { own: user + system, ended: ended.reduce((sum, ms) => sum + ms, 0) }
}

/** Ids of the processes that a process started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const list = await fs.readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '')
  return list.split(' ').filter(Boolean).map(Number)
}

/** Processor time of all processes together that a process started and that still run, ms. */
export async function childrenMs(pid: number = process.pid): Promise<number> {
  const each = await Promise.all((await childrenOf(pid)).map(processorMs))
  return each.reduce((sum, ms) => sum + ms, 0)
}

/** Most memory that a process ever held, MB. */
export const peakMb = (pid: number): Promise<number> => statusMb(pid, 'VmHWM')

/** Memory that a process holds, MB. */
export const residentMb = (pid: number): Promise<number> => statusMb(pid, 'VmRSS')

async function statusMb(pid: number, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await fs.readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024
}

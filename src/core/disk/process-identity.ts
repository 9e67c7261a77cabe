import fs from 'node:fs/promises'
import os from 'node:os'

/** Who holds something, in terms that distinguish a live holder from a dead one and from another with the same pid. */
export interface ProcessIdentity {
  readonly pid: number
  /** When the process started, in the kernel's own units; empty where the system does not report it. */
  readonly started: string
  /** Where the pid means something: host, boot and pid namespace. */
  readonly scope: string
}

/** This process as a lock file names it; a later `isAlive` of another process looks it up. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  return { pid: process.pid, started: (await readStat(process.pid))?.started ?? '', scope: await ownScope() }
}

/**
 * Whether the process still lives.
 * @returns null where this cannot be known from here: it is of another host or container, or the pid is in use on a
 * system that does not report whether by the same process
 */
export async function isAlive(other: ProcessIdentity): Promise<boolean | null> {
  if (other.scope !== (await ownScope())) return null
  if (!answersSignals(other.pid)) return false
  const stat = await readStat(other.pid)
  if (!stat || other.started === '') return null
  // A pid is used again after a while; the time of its start is not. A zombie is dead, only not yet collected.
  return stat.started === other.started && !'ZX'.includes(stat.state)
}

/** Whether some process of this pid namespace has the pid now, perhaps another one than before. */
export function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Fields 3 (state) and 22 (start, clock ticks since boot) of /proc/PID/stat; null on systems without it. */
async function readStat(pid: number): Promise<{ state: string; started: string } | null> {
  const stat = await readIfAny(`/proc/${pid}/stat`)
  // The name in field 2 may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields[0], fields[19]]
  return state && started ? { state, started } : null
}

async function ownScope(): Promise<string> {
  const boot = (await readIfAny('/proc/sys/kernel/random/boot_id')).trim()
  const namespace = await fs.readlink('/proc/self/ns/pid').catch(() => '')
  return [os.hostname(), boot, namespace].join(' ')
}

const readIfAny = (file: string): Promise<string> => fs.readFile(file, 'utf8').catch(() => '')

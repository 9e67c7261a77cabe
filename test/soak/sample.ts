import fs from 'node:fs/promises'
import path from 'node:path'
import type { DaemonProcess } from '../../src/app/demo/daemon-process.js'
import { innermost } from '../../src/detect/host/detector-cage.js'
import { childrenOf, residentMb } from '../bench/processor-time.js'

/** What a daemon takes at one moment; sizes in MB. */
export interface Sample {
  readonly rssMb: number
  readonly heapMb: number
  /** All detector processes together. */
  readonly childrenMb: number
  readonly descriptors: number
  /** Data directory without the log. */
  readonly diskMb: number
  readonly files: number
  readonly logMb: number
  /** Longest delay of the event loop since the last sample, ms. */
  readonly loopMaxMs: number
  readonly loopP99Ms: number
}

/** Looks at a daemon from outside, and at its metrics. */
export async function takeSample(
  daemon: DaemonProcess,
  { dataDir, logFile }: { dataDir: string; logFile: string },
): Promise<Sample> {
  const metrics = await readMetrics(daemon)
  const children = await Promise.all(
    (await childrenOf(daemon.pid)).map(async (pid) => residentMb(await innermost(pid))),
  )
  const { bytes, files } = await sizeOf(dataDir)
  return {
    rssMb: await residentMb(daemon.pid),
    heapMb: metrics('nodejs_heap_size_used_bytes') / 2 ** 20,
    childrenMb: children.reduce((sum, mb) => sum + mb, 0),
    descriptors: (await fs.readdir(`/proc/${daemon.pid}/fd`)).length,
    diskMb: bytes / 2 ** 20,
    files,
    logMb: (await fs.stat(logFile)).size / 2 ** 20,
    loopMaxMs: metrics('nodejs_eventloop_lag_max_seconds') * 1000,
    loopP99Ms: metrics('nodejs_eventloop_lag_p99_seconds') * 1000,
  }
}

async function readMetrics({ control }: DaemonProcess): Promise<(name: string) => number> {
  const response = await fetch(new URL('/metrics', control.url), {
    headers: { authorization: `Bearer ${control.token}` },
  })
  const text = await response.text()
  return (name) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
}

/** Bytes on disk and files below a folder; what goes away meanwhile is left out. */
async function sizeOf(folder: string): Promise<{ bytes: number; files: number }> {
  let [bytes, files] = [0, 0]
  for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const stat = await fs.stat(path.join(entry.parentPath, entry.name)).catch(() => null)
    bytes += (stat?.blocks ?? 0) * 512
    files += stat === null ? 0 : 1
  }
  return { bytes, files }
}

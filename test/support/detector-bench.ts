import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import { silentLog } from '../../src/core/log.js'
import type { DetectorHost } from '../../src/detect/detection.js'
import type { DetectorEvent } from '../../src/detect/detector-events.js'
import { createDetectorHost, type DetectorHostOptions } from '../../src/detect/host/create-detector-host.js'
import { folderForAll, folderForEach, folderForTest } from './temporary-folder.js'

type EventOf<T extends DetectorEvent['type']> = Extract<DetectorEvent, { type: T }>

/** A temporary folder with a models directory, and the detector hosts that a test starts over it. */
export class DetectorBench {
  readonly events: DetectorEvent[] = []
  readonly #hosts: DetectorHost[] = []
  readonly #listeners = new Set<(event: DetectorEvent) => void>()

  private constructor(readonly folder: string) {}

  /** A bench for all tests of a file, or of the `describe` around the call. */
  static forAll(): DetectorBench {
    const bench = new DetectorBench(folderForAll())
    beforeAll(() => fs.mkdir(bench.modelsDir))
    afterAll(() => bench.#close())
    return bench
  }

  /** The same for each test: it has no models, hosts and events when a test begins. */
  static forEach(): DetectorBench {
    const bench = new DetectorBench(folderForEach())
    beforeEach(() => fs.mkdir(bench.modelsDir))
    afterEach(() => bench.#close())
    return bench
  }

  /** One more in the test that runs. */
  static async forTest(): Promise<DetectorBench> {
    const bench = new DetectorBench(await folderForTest())
    onTestFinished(() => bench.#close())
    await fs.mkdir(bench.modelsDir)
    return bench
  }

  get modelsDir(): string {
    return path.join(this.folder, 'models')
  }

  async write(name: string, data: Uint8Array | string): Promise<string> {
    const file = path.join(this.folder, name)
    await fs.writeFile(file, data)
    return file
  }

  async start(options: Partial<DetectorHostOptions> = {}): Promise<DetectorHost> {
    const host = await createDetectorHost({
      modelsDir: this.modelsDir,
      detectors: [],
      workers: 1,
      costlyShare: 0.5,
      ffmpeg: null,
      timeoutMs: 30_000,
      memoryMb: 1500,
      jobsPerChild: 1000,
      platform: 'not known',
      expectedShare: 0.5,
      clock: systemClock,
      random: () => 0.5,
      log: silentLog,
      onEvent: (event) => this.#send(event),
      ...options,
    })
    this.#hosts.push(host)
    return host
  }

  /** The next event of a kind from now on. */
  next<T extends DetectorEvent['type']>(type: T): Promise<EventOf<T>> {
    return new Promise((resolve) => {
      const listener = (event: DetectorEvent) => {
        if (event.type !== type) return
        this.#listeners.delete(listener)
        resolve(event as EventOf<T>)
      }
      this.#listeners.add(listener)
    })
  }

  /** Calls back in the very moment of the next event of a kind, before anything else can happen. */
  once<T extends DetectorEvent['type']>(type: T, act: (event: EventOf<T>) => void): void {
    const listener = (event: DetectorEvent) => {
      if (event.type !== type) return
      this.#listeners.delete(listener)
      act(event as EventOf<T>)
    }
    this.#listeners.add(listener)
  }

  all<T extends DetectorEvent['type']>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type)
  }

  async #close(): Promise<void> {
    await Promise.all(this.#hosts.splice(0).map((host) => host.close()))
    this.events.length = 0
    this.#listeners.clear()
  }

  #send(event: DetectorEvent): void {
    this.events.push(event)
    for (const listener of this.#listeners) listener(event)
  }
}

/** Whether a process is there (a zombie counts as gone). */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await fs.readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return stat !== '' && !/\) [ZX] /.test(stat)
}

/** Resolves once a process is gone; the test's own time limit ends a wait in vain. */
export async function untilGone(pid: number): Promise<void> {
  while (await isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Process memory and children are read from /proc. */
export const hasProc = existsSync('/proc/self/stat')

/** Process ids of the detector processes of this test process that are not caged. */
export function detectorChildren(): number[] {
  const tasks = readdirSync('/proc/self/task')
  const children = tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'latin1').split(' '))
  return children.map(Number).filter((pid) => pid > 0 && factOf(pid, 'cmdline').includes('detector-child'))
}

/** A file of a process in /proc; empty where there is no such process. */
export function factOf(pid: number, name: 'cmdline' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { packagePath } from '../../src/core/files.js'
import { type DaemonFiles, DaemonUnderTest } from './daemon-under-test.js'

/** `node dist/cli/main.js run` as a process of its own, with nothing of our environment but PATH and HOME. */
export class DaemonProcess extends DaemonUnderTest {
  readonly exited: Promise<number | null>
  readonly #child: ChildProcess

  /** @param args of `run` @param within a command that replaces itself with the one after it, such as `unshare` */
  constructor(
    env: Readonly<Record<string, string>>,
    files: DaemonFiles,
    args: readonly string[] = [],
    within: readonly string[] = [],
  ) {
    super(files)
    const { PATH = '', HOME = '' } = process.env
    const out = fs.openSync(files.logFile, 'a', 0o600)
    const main = [process.execPath, packagePath('dist', 'cli', 'main.js')]
    const [program, ...line] = [...within, ...main, 'run', ...args]
    this.#child = spawn(program!, line, {
      env: { PATH, HOME, ATTESTD_DATA_DIR: files.dataDir, ...env },
      stdio: ['ignore', out, out],
    })
    fs.closeSync(out)
    this.exited = once(this.#child, 'exit').then(([code]) => code as number | null)
  }

  get pid(): number {
    return this.#child.pid!
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill9(): Promise<void> {
    if (this.running) this.signal('SIGKILL')
    await this.exited
  }

  end(): Promise<void> {
    return this.kill9()
  }
}

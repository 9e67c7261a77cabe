import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { makeOwnFolder, removeLeftFolders, removeOwnFolder } from '../../core/disk/own-folders.js'
import { openRegularFile } from '../../core/disk/regular-file.js'
import { AttestdError, errorText } from '../../core/errors.js'
import { packagePath } from '../../core/files.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { FILTER_ARGUMENTS, sendFilter } from './system-calls.js'

/** A trial takes milliseconds, on a busy machine a second. */
const TRIAL_TIMEOUT_MS = 10_000
/** Largest heat map that is taken out of a cage, bytes; one of 33 MP compresses to far less. */
const MAX_RESULT_BYTES = 256 * 1024 ** 2

/** What confines detector processes on this machine: bubblewrap, in namespaces of their own. */
export interface DetectorCage {
  /** Absolute path of bwrap. */
  readonly bwrap: string
  /** Absolute path of env, which makes bwrap ignore the signals that go to the whole group. */
  readonly env: string
  /** Folder in which each process gets one, for the file that it reads. */
  readonly scratchDir: string
  /** Whether system calls are filtered: not on a kernel without seccomp, nor on an architecture without a filter. */
  readonly isFiltered: boolean
}

/** What one process may see beside the system's programs and libraries. */
interface View {
  /** Seen read-only, where they are. */
  readonly visible: readonly string[]
  /** The only folder on disk that can be written. */
  readonly writable?: string
  readonly hasNetwork: boolean
}

/** Programs and libraries, with what finds them; nothing of /etc but what names libraries, hosts and certificates. */
const SYSTEM = words(
  '/usr /bin /sbin /lib /lib32 /lib64 /nix/store /sys/devices/system/cpu /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d',
  '/etc/alternatives /etc/ssl /etc/pki /etc/hosts /etc/resolv.conf /etc/nsswitch.conf',
)
const APART = words('--unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try')
const BOUND = words('--die-with-parent --new-session --cap-drop ALL')
const OWN = words('--dev /dev --proc /proc --tmpfs /tmp')

function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}

/** The command line that runs a program in a cage, without the program; one that filters is started with `sendFilter`. */
function lineOf({ env, bwrap, isFiltered }: Omit<DetectorCage, 'scratchDir'>, view: View): string[] {
  const seen = (file: string, how: string) => [how, file, file]
  // bwrap would die of signals to the whole group, and take a detector along that is to end its file.
  const program = [env, '--ignore-signal=INT,TERM,HUP', bwrap, ...APART, ...BOUND]
  const filter = isFiltered ? FILTER_ARGUMENTS : []
  const network = view.hasNetwork ? [] : ['--unshare-net']
  const system = [...SYSTEM.flatMap((file) => seen(file, '--ro-bind-try')), ...OWN]
  const visible = view.visible.filter(isElsewhere).flatMap((file) => seen(file, '--ro-bind'))
  const writable = view.writable === undefined ? [] : seen(view.writable, '--bind')
  return [...program, ...filter, ...network, ...system, ...visible, ...writable, '--']
}

/** Whether a file is not among those of the system, which are seen anyway. */
function isElsewhere(file: string): boolean {
  return !SYSTEM.some((folder) => file.startsWith(`${folder}/`))
}

/** Why no process can be put into this cage; null where one can: tried, because kernels and containers forbid what it does. */
export async function cageGap(cage: DetectorCage): Promise<string | null> {
  // The memory of a caged process is read from outside, where it is found as a child of bwrap.
  const canCount = await fs.access(`/proc/${process.pid}/task/${process.pid}/children`).then(
    () => true,
    () => false,
  )
  if (!canCount) return 'this system does not tell the children of a process'
  const [command = '', ...args] = lineOf(cage, { visible: [process.execPath], hasNetwork: false })
  const child = spawn(command, [...args, process.execPath, '--version'], {
    env: {},
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', cage.isFiltered ? 'pipe' : 'ignore'],
    timeout: TRIAL_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  if (cage.isFiltered) sendFilter(child)
  try {
    const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')])
    return code === 0 ? null : firstLine(said) || `it ended with ${code}`
  } catch (error) {
    return errorText(error)
  }
}

/** Both processes of bubblewrap may say why they end, now and then into each other, behind their name. */
const firstLine = (said: string) =>
  said
    .trim()
    .replace(/^(bwrap:\s*)+/, '')
    .split('\n', 1)[0]!
    .slice(0, 200)

const PLACE = 'attestd-detector-'

/** Removes the places of killed daemons, each with a copy of the file that was read. Those of other users stay. */
export async function removeLeftPlaces({ scratchDir }: Pick<DetectorCage, 'scratchDir'>): Promise<void> {
  await removeLeftFolders(scratchDir, PLACE).catch(() => {})
}

/** The place of one process: a folder for the file that it reads, and one that it may write to. */
export class CagedPlace {
  readonly #folder: string
  readonly #cage: DetectorCage

  private constructor(cage: DetectorCage, folder: string) {
    this.#cage = cage
    this.#folder = folder
  }

  static async make(cage: DetectorCage): Promise<CagedPlace> {
    // Its real path, since it is seen at the same one inside.
    const folder = await makeOwnFolder(await fs.realpath(cage.scratchDir), PLACE)
    await Promise.all([fs.mkdir(path.join(folder, 'in')), fs.mkdir(path.join(folder, 'out'))])
    return new CagedPlace(cage, folder)
  }

  /**
   * The command line before that of Node.
   * @param ffmpeg absolute path; null where there is none
   */
  line(packages: readonly DetectorPackage[], ffmpeg: string | null): string[] {
    const own = ['dist', 'node_modules', 'package.json'].map((name) => packagePath(name))
    const folders = packages.map(({ folder }) => folder)
    const visible = [process.execPath, ...own, ...folders, this.#in, ...(ffmpeg === null ? [] : [ffmpeg])]
    return lineOf(this.#cage, { visible, writable: this.#out, hasNetwork: packages.some(needsNetwork) })
  }

  /**
   * Shows a file to the process, as the only one.
   * @returns its path there
   * @throws AttestdError media-cache-failed
   */
  async show(file: string): Promise<string> {
    const shown = path.join(this.#in, 'file')
    try {
      await fs.rm(shown, { force: true })
      await linkOrCopy(file, shown)
      return shown
    } catch (cause) {
      const words = `The file cannot be shown to a detector process: ${errorText(cause)}`
      throw new AttestdError('media-cache-failed', words, { cause })
    }
  }

  /** Where the process may write what ends up at `wanted`. */
  get result(): string {
    return path.join(this.#out, 'result')
  }

  /** Takes what the process wrote to its place. A link that it left there is not followed, and a pipe not waited for. */
  async takeResult(wanted: string): Promise<void> {
    const handle = await openRegularFile(this.result, fs.constants.O_NOFOLLOW)
    try {
      const { size } = await handle.stat()
      if (size > MAX_RESULT_BYTES) throw new Error(`a result of ${size} bytes`)
      await fs.writeFile(wanted, await handle.readFile())
    } finally {
      await handle.close()
      await fs.rm(this.result, { force: true })
    }
  }

  /** Takes the file away from the process. */
  async clear(): Promise<void> {
    await fs.rm(path.join(this.#in, 'file'), { force: true })
  }

  async remove(): Promise<void> {
    await removeOwnFolder(this.#folder)
  }

  get #in(): string {
    return path.join(this.#folder, 'in')
  }

  get #out(): string {
    return path.join(this.#folder, 'out')
  }
}

/** In the cage root has no rights over files of others, which are copied, as is what lies on another file system. */
async function linkOrCopy(file: string, to: string): Promise<void> {
  const real = await fs.realpath(file)
  const isOwn = (await fs.stat(real)).uid === process.getuid?.()
  const isLinked =
    isOwn &&
    (await fs.link(real, to).then(
      () => true,
      () => false,
    ))
  if (!isLinked) await fs.copyFile(real, to, fs.constants.COPYFILE_FICLONE)
}

/** A model server is elsewhere, and a module is trusted code that may ask one. */
export function needsNetwork({ manifest }: Pick<DetectorPackage, 'manifest'>): boolean {
  return manifest.runtime.kind === 'remote' || manifest.runtime.kind === 'module'
}

/** The innermost process of a chain of wrappers, each with one child: the one that was meant. */
export async function innermost(pid: number): Promise<number> {
  const children = await fs.readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '')
  const [only] = children.split(' ').filter(Boolean).map(Number)
  return only === undefined ? pid : innermost(only)
}

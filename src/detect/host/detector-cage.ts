import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { makeOwnFolder, removeLeftFolders, removeOwnFolder } from '../../core/disk/own-folders.js'
import { isDiskFull } from '../../core/disk/storage-error.js'
import { AttestdError, errorText, succeeds } from '../../core/errors.js'
import { isThere, packagePath } from '../../core/files.js'
import { folderOfFile } from '../package/package-file.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { asksServer } from '../package/runtime.js'
import { FILTER_ARGUMENTS, sendFilter } from './system-calls.js'

/** A trial takes milliseconds, on a busy machine a second. */
const TRIAL_TIMEOUT_MS = 10_000
/** Largest file that a caged process can write, bytes: a heat map of 33 MP compresses to far less. */
export const MAX_RESULT_BYTES = 256 * 1024 ** 2

/**
 * Who a caged process is where root starts attestd, user and group: nobody, since whoever is user 0, even without rights, owns what
 * root owns, the kernel's settings among it.
 */
const NOBODY = 65534
/** Size of the /tmp of one process, which is memory that its resident memory does not count. */
const TMP_BYTES = 64 * 1024 ** 2

/** What confines detector processes on this machine: bubblewrap, in namespaces of their own. */
export interface DetectorCage {
  /** Absolute path of bwrap. */
  readonly bwrap: string
  /** Absolute path of env, which makes bwrap ignore the signals that go to the whole group. */
  readonly env: string
  /** Absolute path of setpriv, by which root gives up being root; null for another user. */
  readonly setpriv: string | null
  /** Real path of a folder of this user alone, in which each process gets one for the file that it reads. */
  readonly scratchDir: string
  /** Whether system calls are filtered: not on a kernel without seccomp, nor on an architecture without a filter. */
  readonly isFiltered: boolean
}

/** What one process may see besides the system's programs and libraries. */
interface View {
  /** Seen read-only, where they are. */
  readonly visible: readonly string[]
  /** The only file on disk that can be written. */
  readonly writable?: string
  readonly hasNetwork: boolean
}

/** Programs and libraries, with what finds them; nothing of /etc but what names libraries, hosts and certificates, and no key. */
const SYSTEM = words(
  '/usr /bin /sbin /lib /lib32 /lib64 /nix/store /sys/devices/system/cpu /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d',
  '/etc/alternatives /etc/hosts /etc/resolv.conf /etc/nsswitch.conf /etc/ssl/certs /etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs /etc/pki/tls/openssl.cnf /etc/pki/ca-trust/extracted',
)
const APART = words(
  '--unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent --new-session --cap-drop ALL',
)
/** The user namespace of another user than root, who may make no other without one. */
const BY_USER = words('--unshare-user-try')
/** Root makes none, and keeps what it takes to become nobody. */
const BY_ROOT = words('--cap-add CAP_SETUID --cap-add CAP_SETGID')
const OWN = words(`--dev /dev --proc /proc --size ${TMP_BYTES} --perms 1777 --tmpfs /tmp`)
/** Also all of /proc: bubblewrap leaves /proc/sys to whoever owns it. /dev and the root are memory without a limit. */
const READ_ONLY = words('--remount-ro /dev --remount-ro /proc --remount-ro /')
const TO_NOBODY = words(`--reuid=${NOBODY} --regid=${NOBODY} --clear-groups --inh-caps=-all --`)

function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}

/** The command line that runs a program in a cage, without the program; one that filters is started with `sendFilter`. */
function lineOf({ env, bwrap, setpriv, isFiltered }: Omit<DetectorCage, 'scratchDir'>, view: View): string[] {
  const seen = (file: string, how: string) => [how, file, file]
  // bwrap would die of signals to the whole group, and take a detector along that is to end its file.
  const program = [env, '--ignore-signal=INT,TERM,HUP', bwrap, ...APART, ...(setpriv === null ? BY_USER : BY_ROOT)]
  const filter = isFiltered ? FILTER_ARGUMENTS : []
  const network = view.hasNetwork ? [] : ['--unshare-net']
  const system = [...foldersAbove(SYSTEM), ...SYSTEM.flatMap((file) => seen(file, '--ro-bind-try')), ...OWN]
  const files = [...view.visible, ...(setpriv === null ? [] : [setpriv])].filter(isElsewhere)
  const visible = [...foldersAbove(files), ...files.flatMap((file) => seen(file, '--ro-bind'))]
  const writable = view.writable === undefined ? [] : seen(view.writable, '--bind')
  const asNobody = setpriv === null ? [] : [setpriv, ...TO_NOBODY]
  return [...program, ...filter, ...network, ...system, ...visible, ...writable, ...READ_ONLY, '--', ...asNobody]
}

/** Makes the folders in which these files lie, which bubblewrap would make for root alone. */
function foldersAbove(files: readonly string[]): string[] {
  const above = (file: string): string[] => (file === '/' ? [] : [...above(path.dirname(file)), file])
  return [...new Set(files.flatMap((file) => above(path.dirname(file))))].flatMap((folder) => ['--dir', folder])
}

/** Whether a file is not among those of the system, which are seen anyway. */
const isElsewhere = (file: string): boolean => !SYSTEM.some((folder) => file.startsWith(`${folder}/`))

/** Why no process can be put into this cage; null where one can: tried, because kernels and containers forbid what it does. */
export async function cageGap(cage: DetectorCage): Promise<string | null> {
  // The memory of a caged process is read from outside, where it is found as a child of bwrap.
  if (!(await isThere(`/proc/${process.pid}/task/${process.pid}/children`)))
    return 'this system does not list the children of a process'
  const [command = '', ...args] = lineOf(cage, { visible: [process.execPath], hasNetwork: false })
  const child = spawn(command, [...args, process.execPath, '--version'], {
    env: {},
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', cage.isFiltered ? 'pipe' : 'ignore'],
    timeout: TRIAL_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  if (cage.isFiltered) sendFilter(child)
  // A bwrap that fails may leave a child that waits for it for ever, with the output open.
  child.once('exit', () => endGroup(child))
  try {
    const [stated, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')])
    return code === 0 ? null : firstLine(stated) || `it ended with ${code}`
  } catch (error) {
    return errorText(error)
  }
}

/** Ends what is left of the process group that a detached child leads. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing is left.
  }
}

/** Both processes of bubblewrap may state why they end, now and then into each other, behind their name. */
const firstLine = (stated: string) =>
  stated
    .trim()
    .replace(/^(bwrap:\s*)+/, '')
    .split('\n', 1)[0]!
    .slice(0, 200)

const PLACE = 'attestd-detector-'
const FULL_FIX =
  'Free space in the folder for temporary files (TMPDIR, else /tmp), or set TMPDIR to one on another disk.'

/** Removes the places of killed daemons, each with a copy of the file that was read. */
export async function removeLeftPlaces({ scratchDir }: Pick<DetectorCage, 'scratchDir'>): Promise<void> {
  await removeLeftFolders(scratchDir, PLACE).catch(() => {})
}

/**
 * The folder of all libraries that attestd may load. Where it is a package among others, the outermost one around it: npm, pnpm and
 * yarn put libraries next to it, above it, and behind links.
 * @param root of attestd, its real path
 */
export function librariesOf(root: string): string {
  const name = 'node_modules'
  const at = root.indexOf(`${path.sep}${name}${path.sep}`)
  return at < 0 ? path.join(root, name) : path.join(root.slice(0, at), name)
}

/** The folders that hold the files of a package, its own first. */
const foldersOf = ({ folder, manifest }: DetectorPackage): string[] => [
  folder,
  ...Object.values(manifest.files).map((file) => folderOfFile(folder, file)),
]

/** The place of one process: a folder for the file that it reads, and a file that it may write to. */
export class CagedPlace {
  readonly #folder: string
  readonly #cage: DetectorCage

  private constructor(cage: DetectorCage, folder: string) {
    this.#cage = cage
    this.#folder = folder
  }

  static async make(cage: DetectorCage): Promise<CagedPlace> {
    const place = new CagedPlace(cage, await makeOwnFolder(cage.scratchDir, PLACE))
    await Promise.all([fs.mkdir(place.#in), fs.writeFile(place.result, '')])
    // Nobody, too, reads and writes them; no other user comes past the folder around them.
    await Promise.all([fs.chmod(place.#in, 0o755), fs.chmod(place.result, 0o666)])
    return place
  }

  /** The command line before that of Node. @param files absolute paths of what the process sees besides its packages */
  line(packages: readonly DetectorPackage[], files: readonly string[]): string[] {
    const own = [packagePath('dist'), packagePath('package.json'), librariesOf(packagePath())]
    const folders = new Set(packages.flatMap(foldersOf))
    const visible = [process.execPath, ...own, ...folders, this.#in, ...files]
    return lineOf(this.#cage, { visible, writable: this.result, hasNetwork: packages.some(needsNetwork) })
  }

  /** Shows a file to the process, as the only one. @returns its path there @throws AttestdError media-cache-failed */
  async show(file: string): Promise<string> {
    const shown = path.join(this.#in, 'file')
    try {
      await fs.rm(shown, { force: true })
      await linkOrCopy(file, shown, this.#cage.setpriv !== null)
      return shown
    } catch (cause) {
      const words = `The file cannot be shown to a detector process: ${errorText(cause)}`
      throw new AttestdError('media-cache-failed', words, { cause, fix: isDiskFull(cause) ? FULL_FIX : undefined })
    }
  }

  /** The file to which the process may write what ends up at `wanted`, at most `MAX_RESULT_BYTES`. */
  get result(): string {
    return path.join(this.#folder, 'result')
  }

  /** Takes what the process wrote to its file. */
  async takeResult(wanted: string): Promise<void> {
    try {
      await fs.writeFile(wanted, await fs.readFile(this.result))
    } finally {
      await fs.truncate(this.result)
    }
  }

  async clear(): Promise<void> {
    await fs.rm(path.join(this.#in, 'file'), { force: true })
  }

  async remove(): Promise<void> {
    await removeOwnFolder(this.#folder)
  }

  get #in(): string {
    return path.join(this.#folder, 'in')
  }
}

/**
 * In the cage nobody has rights over files of others, which are copied, as is what lies on another file system.
 * @param forNobody whether the process is one of another user, which reads what everybody may
 */
async function linkOrCopy(file: string, to: string, forNobody: boolean): Promise<void> {
  const real = await fs.realpath(file)
  const { mode, uid } = await fs.stat(real)
  const isReadable = forNobody ? (mode & 0o004) !== 0 : uid === process.getuid?.()
  if (isReadable && (await succeeds(fs.link(real, to)))) return
  await fs.copyFile(real, to, fs.constants.COPYFILE_FICLONE)
  await fs.chmod(to, 0o444)
}

/** A model server is elsewhere, and a module is trusted code that may ask one. */
export const needsNetwork = ({ manifest }: Pick<DetectorPackage, 'manifest'>): boolean =>
  asksServer(manifest.runtime) || manifest.runtime.kind === 'module'

/** The innermost process of a chain of wrappers, each with one child: the one that was meant. */
export async function innermost(pid: number): Promise<number> {
  const children = await fs.readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '')
  const [only] = children.split(' ').filter(Boolean).map(Number)
  return only === undefined ? pid : innermost(only)
}

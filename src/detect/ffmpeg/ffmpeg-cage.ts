import { type Wrapper, wrapperPath } from '../contract/wrapper.js'

/** Address space of one ffmpeg, bytes: its libraries map about 0.5 GB, a 33 MP frame with its references about 0.5 GB more. */
const ADDRESS_SPACE_BYTES = 2 * 1024 ** 3
/** Open files of one ffmpeg: the input, three or four pipes, its libraries while they load. */
const OPEN_FILES = 64

/** A wrapper, with what goes unprotected without it. */
interface Layer extends Wrapper {
  readonly lost: string
}

/** What holds ffmpeg, outermost first. */
export interface FfmpegCage {
  /** The command line that runs a program in the cage. @param cpuSeconds processor time until the kernel ends it */
  wrap(program: string, args: readonly string[], cpuSeconds: number): { command: string; args: string[] }
  /** What is not protected on this machine, one sentence each; empty where the cage is whole. */
  readonly gaps: readonly string[]
}

const NETWORK: Layer = {
  name: 'unshare',
  args: ['-n', '--'],
  lost: 'ffmpeg runs with the network of this process (unshare -n is not possible here)',
}
/** PDEATHSIG outlives exec, so ffmpeg dies with the detector process that started it, however that one died. */
const RIGHTS: Layer = {
  name: 'setpriv',
  args: ['--pdeathsig', 'KILL', '--no-new-privs', '--'],
  lost: 'ffmpeg may gain privileges and outlives a killed detector process until its next write (setpriv of util-linux is missing)',
}
const LIMITS: Layer = {
  name: 'prlimit',
  args: [`--as=${ADDRESS_SPACE_BYTES}`, '--fsize=0', `--nofile=${OPEN_FILES}`, '--core=0'],
  lost: 'ffmpeg runs without limits on memory, processor time and files (prlimit of util-linux is missing)',
}

let cage: Promise<FfmpegCage> | undefined

/** The cage this machine can build, tried out once in a process: what its kernel and container allow does not change. */
export function ffmpegCage(): Promise<FfmpegCage> {
  cage ??= buildCage()
  return cage
}

async function buildCage(): Promise<FfmpegCage> {
  const isRoot = process.getuid?.() === 0
  // Another user may not make a network namespace; the protocol whitelist holds without it.
  const [network, rights, limits] = await Promise.all([
    isRoot ? wrapperPath(NETWORK) : null,
    wrapperPath(RIGHTS),
    wrapperPath(LIMITS),
  ])
  return {
    wrap(program, args, cpuSeconds) {
      const line = [
        ...(network === null ? [] : [network, ...NETWORK.args]),
        ...(rights === null ? [] : [rights, ...RIGHTS.args]),
        ...(limits === null ? [] : [limits, ...LIMITS.args, `--cpu=${Math.max(1, Math.ceil(cpuSeconds))}`, '--']),
        program,
        ...args,
      ]
      return { command: line[0] as string, args: line.slice(1) }
    },
    gaps: [
      ...(isRoot && network === null ? [NETWORK.lost] : []),
      ...(rights === null ? [RIGHTS.lost] : []),
      ...(limits === null ? [LIMITS.lost] : []),
    ],
  }
}

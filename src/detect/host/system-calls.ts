import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import { CHANNEL_FD } from '../contract/json-lines.js'

/**
 * The system calls that a caged process is refused, as a program of classic BPF for seccomp(2), which bubblewrap loads.
 * They are what opens the kernel to an attacker and what no detector needs, after the list of container engines.
 */

/** Where bubblewrap reads the program: the file descriptor after that of the channel. */
const FILTER_FD = CHANNEL_FD + 1

/** Numbers of system calls by `process.arch`: asm/unistd_64.h, and asm-generic/unistd.h, of Linux. */
interface Numbers {
  /** AUDIT_ARCH_* of linux/audit.h: what the kernel states the caller's architecture as. */
  readonly audit: number
  readonly clone: number
  readonly socket: number
  readonly refused: readonly number[]
}

/** Those that have one number everywhere: clone3 apart, io_uring_*, open_tree to fspick, mount_setattr, pidfd_getfd. */
const NEW_CALLS = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442]
const CLONE3 = 435

/**
 * Refused, in the order of these lists: ptrace, process_vm_readv and _writev, kcmp; kexec_load, kexec_file_load, reboot,
 * init_module, finit_module, delete_module; bpf, perf_event_open, userfaultfd, fanotify_init; mount, umount2, pivot_root,
 * chroot, swapon, swapoff, quotactl, acct; unshare, setns; keyctl, add_key, request_key; personality;
 * name_to_handle_at, open_by_handle_at; syslog; settimeofday, clock_settime, adjtimex, clock_adjtime.
 */
const NUMBERS: Readonly<Record<string, Numbers>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    socket: 41,
    refused: [
      101, 310, 311, 312, 246, 320, 169, 175, 313, 176, 321, 298, 323, 300, 165, 166, 155, 161, 167, 168, 179, 163, 272,
      308, 250, 248, 249, 135, 303, 304, 103, 164, 227, 159, 305,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    socket: 198,
    refused: [
      117, 270, 271, 272, 104, 294, 142, 105, 273, 106, 280, 241, 282, 262, 40, 39, 41, 51, 224, 225, 60, 89, 97, 268,
      219, 217, 218, 92, 264, 265, 116, 170, 112, 171, 266,
    ],
  },
}

/** CLONE_NEW* of linux/sched.h: a namespace of one's own, in which one has every right. */
const NEW_NAMESPACES = 0x7e020000
/** AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, by which the C library looks at its addresses (linux/socket.h). */
const SOCKETS = [1, 2, 10, 16]
/** Calls of the x32 ABI, which no program here uses, have this bit (asm/unistd.h). */
const X32 = 0x40000000

// Offsets in struct seccomp_data (linux/seccomp.h): number, architecture, the low half of the first argument.
const NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16

// Instructions of linux/bpf_common.h: load a word, jump by comparison, return.
const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const ANY_BIT = 0x45
const RETURN = 0x06

// Ends of linux/seccomp.h, with EPERM and ENOSYS: after the latter the C library takes clone instead of clone3.
const ALLOW = 0x7fff0000
const REFUSE = 0x00050000 + 1
const ABSENT = 0x00050000 + 38
const KILL = 0x80000000

/** Code, instructions to skip where the comparison holds and where not, operand. */
type Instruction = readonly [code: number, holds: number, fails: number, operand: number]

const end = (how: number): Instruction => [RETURN, 0, 0, how]

/** Whether the numbers of this architecture are listed. */
export const hasFilter = process.arch in NUMBERS
/** The arguments of bubblewrap that name the program. */
export const FILTER_ARGUMENTS: readonly string[] = ['--seccomp', String(FILTER_FD)]

/** Gives the program to a bubblewrap that was started with `FILTER_ARGUMENTS` and a pipe as its fifth `stdio`. */
export function sendFilter(child: ChildProcess): void {
  // Not there where no process could be started; one that ended before it read states why by its end.
  const pipe = child.stdio?.[FILTER_FD] as Writable | undefined
  pipe?.on('error', () => {})
  pipe?.end(systemCallFilter(process.arch))
}

/** The program for an architecture (`process.arch`); empty where its numbers are not listed. */
export function systemCallFilter(arch: string): Buffer {
  const numbers = NUMBERS[arch]
  if (numbers === undefined) return Buffer.alloc(0)
  const { audit, clone, refused, socket } = numbers
  return packed([
    [LOAD, 0, 0, ARCHITECTURE],
    // Another ABI of the same processor has other numbers.
    [EQUAL, 1, 0, audit],
    end(KILL),
    [LOAD, 0, 0, NUMBER],
    ...(arch === 'x64' ? ([[AT_LEAST, 0, 1, X32], end(REFUSE)] as const) : []),
    ...[...refused, ...NEW_CALLS].flatMap((number): Instruction[] => [[EQUAL, 0, 1, number], end(REFUSE)]),
    [EQUAL, 0, 1, CLONE3],
    end(ABSENT),
    [EQUAL, 0, 4, clone],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [ANY_BIT, 0, 1, NEW_NAMESPACES],
    end(REFUSE),
    end(ALLOW),
    [EQUAL, 1, 0, socket],
    end(ALLOW),
    [LOAD, 0, 0, FIRST_ARGUMENT],
    ...SOCKETS.flatMap((family): Instruction[] => [[EQUAL, 0, 1, family], end(ALLOW)]),
    end(REFUSE),
  ])
}

/** As struct sock_filter (linux/filter.h), in the byte order of both architectures. */
function packed(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, holds, fails, operand]] of program.entries()) {
    const at = index * 8
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(holds, at + 2)
    bytes.writeUInt8(fails, at + 3)
    bytes.writeUInt32LE(operand, at + 4)
  }
  return bytes
}

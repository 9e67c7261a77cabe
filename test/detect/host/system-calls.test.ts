import { describe, expect, it } from 'vitest'
import { systemCallFilter } from '../../../src/detect/host/system-calls.js'

const [ALLOWED, EPERM, ENOSYS, KILLED] = [0x7fff0000, 0x00050001, 0x00050026, 0x80000000]
const CLONE_THREAD = 0x3d0f00
const CLONE_NEWUSER = 0x10000000

/** What the kernel would do: runs the program over a call, as seccomp(2) states it. */
function judged(program: Buffer, audit: number, number: number, argument = 0): number {
  const data: Readonly<Record<number, number>> = { 0: number, 4: audit, 16: argument }
  let loaded = 0
  for (let at = 0; at < program.length; at += 8) {
    const [code, operand] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)]
    if (code === 0x06) return operand
    if (code === 0x20) loaded = data[operand]!
    else {
      const holds = { 21: loaded === operand, 53: loaded >= operand, 69: (loaded & operand) !== 0 }[code]
      at += 8 * program.readUInt8(at + (holds ? 2 : 3))
    }
  }
  throw new Error('the program has no end')
}

describe.each([
  ['x64', 0xc000003e, { openat: 257, clone: 56, unshare: 272, ptrace: 101, socket: 41, exit: 60 }],
  ['arm64', 0xc00000b7, { openat: 56, clone: 220, unshare: 97, ptrace: 117, socket: 198, exit: 93 }],
] as const)('the system call filter on %s', (arch, audit, calls) => {
  const program = systemCallFilter(arch)
  const of = (number: number, argument = 0) => judged(program, audit, number, argument)

  it('refuses what opens the kernel, and allows the rest', () => {
    for (const number of [calls.unshare, calls.ptrace, 425, 442]) expect(of(number)).toBe(EPERM)
    for (const number of [calls.openat, calls.exit, 0, 1, 5000]) expect(of(number)).toBe(ALLOWED)
  })

  it('lets threads and processes start, but in no namespace of their own', () => {
    expect([of(calls.clone, CLONE_THREAD), of(calls.clone, CLONE_NEWUSER), of(435)]).toEqual([ALLOWED, EPERM, ENOSYS])
  })

  it('allows sockets of the internet and of this machine only', () => {
    const families = { unix: 1, inet: 2, inet6: 10, netlink: 16, packet: 17, alg: 38, vsock: 40 }
    const open = Object.entries(families).filter(([, family]) => of(calls.socket, family) === ALLOWED)
    expect(open.map(([name]) => name)).toEqual(['unix', 'inet', 'inet6', 'netlink'])
  })

  it('ends a process that calls by the numbers of another architecture', () => {
    expect(judged(program, 0x40000003, calls.openat)).toBe(KILLED)
  })
})

it('an architecture whose numbers are not listed has no filter', () => {
  expect(systemCallFilter('riscv64')).toHaveLength(0)
})

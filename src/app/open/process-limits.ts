import fs from 'node:fs/promises'
import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'

const GIB = 1024 ** 3

/**
 * Limits by their names in /proc/self/limits, what a daemon needs at least, and how a shell and systemd raise them. WebAssembly
 * reserves address space: measured were 32 GiB with the embedded queue and 21 GiB with Redis. An idle daemon with one detector
 * process had 124 files open and 12 threads. A file of the embedded queue grows to 1 GiB.
 */
const limitsOf = ({ queueUrl }: Pick<Settings, 'queueUrl'>) =>
  [
    [
      'Max address space',
      (queueUrl.startsWith('embedded:') ? 36 : 24) * GIB,
      'ulimit -v unlimited',
      'LimitAS=infinity',
    ],
    ['Max open files', 256, 'ulimit -n 4096', 'LimitNOFILE=4096'],
    ['Max processes', 64, 'ulimit -u unlimited', 'LimitNPROC=infinity'],
    ['Max file size', GIB, 'ulimit -f unlimited', 'LimitFSIZE=infinity'],
  ] as const

/**
 * Refuses a process under a limit that would end it later, without a word of the limit. Nothing is checked where there is no /proc.
 * @param stated content of /proc/self/limits
 * @throws AttestdError limits-low
 */
export async function checkLimits(settings: Pick<Settings, 'queueUrl'>, stated?: string): Promise<void> {
  const text = stated ?? (await fs.readFile('/proc/self/limits', 'latin1').catch(() => ''))
  for (const [name, least, shell, systemd] of limitsOf(settings)) {
    const soft = Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(text)?.[1] ?? least)
    // The kernel does not count the processes of root.
    if (soft >= least || (name === 'Max processes' && process.getuid?.() === 0)) continue
    const message = `"${name}" of this process is ${soft} (/proc/self/limits); attestd needs ${least}.`
    throw new AttestdError('limits-low', message, {
      fix: `Run ${shell} before attestd in the same shell, or set ${systemd} in its systemd unit.`,
    })
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { packagePath } from '../../src/core/files.js'

/** What `attestd sandbox --json` prints. */
export interface SandboxFacts {
  readonly url: string
  readonly attesterKey: { readonly id: string; readonly accessKey: string; readonly signingSecret: string }
  readonly submitterKey: { readonly id: string; readonly accessKey: string; readonly signingSecret: string }
  readonly sessionToken: string
  readonly wallets: Readonly<Record<'attester' | 'submitter', { address: string; privateKey: `0x${string}` }>>
  readonly chain: {
    readonly chainId: number
    readonly contract: string
    readonly rpcUrl: string
  }
}

export interface SandboxProcess {
  readonly facts: SandboxFacts
  readonly pid: number
  /** Resolves with the exit code, null where a signal ended it, once the process is gone. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** The real `attestd sandbox` on any port, with nothing of this environment but PATH. Rejects with what it said. */
export async function startSandboxProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<SandboxProcess> {
  const { PATH = '' } = process.env
  const command = [packagePath('dist', 'cli', 'main.js'), 'sandbox', '--port', '0', '--json', ...args]
  const child = spawn(process.execPath, command, {
    env: { PATH, HOME: '/dev/null', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const lines = createInterface({ input: child.stdout })
  const first = once(lines, 'line').then(([line]) => line as string)
  const failed = exited.then((code) => Promise.reject(new Error(`the sandbox ended with ${code}: ${said}`)))
  failed.catch(() => {})
  const facts = JSON.parse(await Promise.race([first, failed])) as SandboxFacts
  return {
    facts,
    pid: child.pid!,
    end: (signal) => {
      child.kill(signal)
      return exited
    },
  }
}

import { execFile } from 'node:child_process'
import { runCommandLine } from '../../src/cli/command-line.js'
import { packagePath } from '../../src/core/files.js'

export interface EndedVerb {
  readonly code: number
  readonly out: string
  readonly err: string
}

type Environment = Readonly<Record<string, string>>

let earlier: Promise<unknown> = Promise.resolve()

/**
 * Runs the command as its process would, with nothing of this environment but PATH, but in this process, which has loaded its
 * code once: a process of its own costs a second and more. One at a time, since what it prints and reads is the process's.
 */
export function attestdVerb(args: readonly string[], env: Environment): Promise<EndedVerb> {
  // It ends its process.
  if (args[0] === 'run' && !args.includes('--help')) return attestdProcess(args, env)
  return attestdRefused(args, env)
}

/** The same in this process also for `run`, where settings or flags are wrong: what ends its process is not reached then. */
export function attestdRefused(args: readonly string[], env: Environment): Promise<EndedVerb> {
  const ended = earlier.then(() => inThisProcess(args, environment(env)))
  earlier = ended.catch(() => {})
  return ended
}

/** The same by `node dist/cli/main.js`. */
export function attestdProcess(args: readonly string[], env: Environment): Promise<EndedVerb> {
  return new Promise((resolve) => {
    const command = [packagePath('dist', 'cli', 'main.js'), ...args]
    execFile(process.execPath, command, { env: environment(env) }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    )
  })
}

/** A home in which nobody, not even root, can make anything. */
const environment = (env: Environment) => ({ PATH: process.env.PATH ?? '', HOME: '/dev/null', ...env })

async function inThisProcess(args: readonly string[], env: Environment): Promise<EndedVerb> {
  const { argv, stdout, stderr } = process
  const before = { ...process.env }
  const [out, err] = [new Captured(stdout), new Captured(stderr)]
  setEnvironment(env)
  process.argv = [...argv.slice(0, 2), ...args]
  try {
    await runCommandLine(args)
    return { code: Number(process.exitCode ?? 0), out: out.text, err: err.text }
  } finally {
    process.exitCode = undefined
    setEnvironment(before)
    process.argv = argv
    out.end()
    err.end()
  }
}

/** In place: an object instead of `process.env` would not reach `os.homedir`, and tests would find what is in the real home. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** What is written to a stream of this process, instead of there. */
class Captured {
  text = ''
  readonly #write: NodeJS.WriteStream['write']

  constructor(readonly stream: NodeJS.WriteStream) {
    this.#write = stream.write
    stream.write = (chunk: string | Uint8Array) => {
      this.text += String(chunk)
      return true
    }
  }

  end(): void {
    this.stream.write = this.#write
  }
}

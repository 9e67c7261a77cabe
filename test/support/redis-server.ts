import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Certificates } from './certificates.js'
import { isExecutable } from './executable.js'
import { freePort } from './local-server.js'

export interface RedisServerOptions {
  /** Append-only file with fsync every second. @default true */
  readonly appendonly?: boolean
  /** Serves TLS alone. */
  readonly tls?: Certificates
  /** More settings as on the command line, which win over the others. */
  readonly args?: readonly string[]
}

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Its files; kept over `kill9` and `restart`. */
  readonly dir: string
  /** SIGKILL; resolves when the process is gone. */
  kill9(): Promise<void>
  /** Starts again on the same port and files after `kill9`. */
  restart(): Promise<void>
  /** SIGSTOP and SIGCONT: it hangs, with its connections open. */
  freeze(): void
  thaw(): void
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

/** The redis-server to test with: `REDIS_SERVER`, else the one on the path. @returns null where there is none */
export function findRedisServer(): string | null {
  const named = process.env.REDIS_SERVER
  const places = (process.env.PATH ?? '').split(path.delimiter).map((dir) => path.join(dir, 'redis-server'))
  return (named ? [named] : places).find(isExecutable) ?? null
}

/** Starts a Redis of its own on a free port, in a folder of its own. @throws where there is no binary */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const binary = findRedisServer()
  if (!binary) throw new Error('no redis-server on the path; set REDIS_SERVER or install one')
  const dir = await mkdtemp(path.join(os.tmpdir(), 'attestd-redis-'))
  const port = await freePort()
  const args = [path.join(dir, 'redis.conf')]
  await writeFile(args[0]!, configuration(port, dir, options))
  let child = await launch(binary, args)
  return {
    port,
    url: `${options.tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    dir,
    kill9: () => end(child, 'SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    restart: async () => {
      child = await launch(binary, args)
    },
    stop: async () => {
      await end(child, 'SIGKILL')
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** In a file, which Sentinel and cluster rewrite when roles change, so that a restart knows them. */
function configuration(port: number, dir: string, { appendonly = true, tls, args = [] }: RedisServerOptions): string {
  const listen = tls
    ? { port: 0, 'tls-port': port, 'tls-cert-file': tls.cert, 'tls-key-file': tls.key, 'tls-ca-cert-file': tls.ca }
    : { port }
  const settings = {
    ...listen,
    dir,
    bind: '127.0.0.1',
    save: '',
    'maxmemory-policy': 'noeviction',
    appendonly: appendonly ? 'yes' : 'no',
    appendfsync: 'everysec',
    // A replica is in step at once, not after the five seconds that others have to join.
    'repl-diskless-sync-delay': 0,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}"\n`)
  return lines.join('') + args.join(' ').replaceAll(/ ?--/g, '\n')
}

/** Starts it and waits until it states that it listens. @throws where it does not start */
export async function launch(binary: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      said = (said + text).slice(-5000)
      if (/Ready to accept connections|Sentinel ID is/.test(said)) resolve()
    })
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`redis-server did not start (exit code ${code}): ${said}`)))
  })
  return child
}

/** Resolves when the process is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  await gone
}

import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Clock } from '../../src/core/clock.js'
import { startDeadline, startTimer } from '../../src/core/time-limit.js'
import { isExecutable } from './executable.js'

/** anvil starts in 0.1 s, so this only ends one that hangs. */
const START_LIMIT_MS = 60_000
/** Between asking anvil to end and killing it; it writes its state in between where it was asked to. */
const STOP_GRACE_MS = 3000
/** Longest wait for one answer while it starts. */
const CALL_LIMIT_MS = 30_000
/** What each key of `privateKeys` holds: 10,000 ether, as anvil's own accounts do. */
const FUNDS: Hex = `0x${(10_000n * 10n ** 18n).toString(16)}`
/** States of past blocks that are kept; without a limit a chain of 2 s blocks fills the disk in days. */
const KEPT_STATES = 256
/** How anvil states its port. */
const LISTENING = /^Listening on 127\.0\.0\.1:(\d+)$/
const HOST = '127.0.0.1'

/** The names that Node and anvil's packages have for the same platforms. */
const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': 'anvil-darwin-arm64',
  'darwin-x64': 'anvil-darwin-amd64',
  'linux-arm64': 'anvil-linux-arm64',
  'linux-x64': 'anvil-linux-amd64',
}

/** Settings of one anvil. */
export interface AnvilOptions {
  /** From `findAnvil`. */
  readonly binary: string
  readonly chainId: number
  readonly clock: Clock
  /** How many funded keys to make. @default 3 */
  readonly keys?: number
  /** More arguments for anvil. @default none */
  readonly args?: readonly string[] | undefined
}

/** A running anvil with its own keys, made for this run. */
export interface AnvilProcess {
  readonly rpcUrl: string
  readonly pid: number
  readonly privateKeys: readonly Hex[]
  /** Resolves when the process is gone, however it ended. */
  readonly ended: Promise<void>
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>
}

/**
 * The native anvil of the installed npm package, else one on the path. The package's JavaScript shim is passed by: a
 * shim that is killed leaves anvil running.
 * @param searchPath what PATH holds; '' to look at the package only
 * @returns an absolute path, or null where there is none
 */
export function findAnvil(searchPath = ''): string | null {
  const places = searchPath.split(path.delimiter).filter(path.isAbsolute)
  return [...packagedAnvil(), ...places.map((dir) => path.join(dir, 'anvil'))].find(isExecutable) ?? null
}

function packagedAnvil(): string[] {
  const name = PLATFORM_PACKAGES[`${process.platform}-${process.arch}`]
  if (name === undefined) return []
  try {
    const manifest = createRequire(import.meta.url).resolve(`@foundry-rs/${name}/package.json`)
    return [path.join(path.dirname(manifest), 'bin', 'anvil')]
  } catch {
    return []
  }
}

/**
 * Starts anvil on a free port of 127.0.0.1 and funds new keys. It ends with this process, even where that is killed.
 * @throws where anvil does not start
 */
export async function startAnvil(options: AnvilOptions): Promise<AnvilProcess> {
  const child = spawn(options.binary, anvilArguments(options), { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  dieTogether(child)
  const stop = () => endChild(child, ended, options.clock)
  try {
    const { rpcUrl, privateKeys } = await makeReady(child, options)
    return { rpcUrl, pid: child.pid!, privateKeys, ended, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function anvilArguments({ chainId, args = [] }: AnvilOptions): string[] {
  // Port 0 and the line that names the real one, instead of a port that was free a moment ago. No accounts: the keys
  // of anvil's own are known to everyone.
  const fixed = ['--host', HOST, '--port', '0', '--accounts', '0', '--prune-history', String(KEPT_STATES)]
  return [...fixed, '--chain-id', String(chainId), ...args]
}

async function makeReady(child: ChildProcess, { chainId, clock, keys = 3 }: AnvilOptions) {
  const rpcUrl = `http://${HOST}:${await listeningPort(child, clock)}`
  const answered = Number(await call(rpcUrl, clock, 'eth_chainId', []))
  if (answered !== chainId) throw new Error(`anvil serves chain ${answered} instead of ${chainId}`)
  const privateKeys = Array.from({ length: keys }, () => generatePrivateKey())
  for (const key of privateKeys) await call(rpcUrl, clock, 'anvil_setBalance', [privateKeyToAddress(key), FUNDS])
  return { rpcUrl, privateKeys }
}

/** Reads what anvil prints until it states its port; after that its output is dropped. */
function listeningPort(child: ChildProcess, clock: Clock): Promise<number> {
  return new Promise((resolve, reject) => {
    let stated = ''
    const fail = (what: string) => {
      stopTimer()
      reject(new Error(`anvil did not start: ${what}${stated && `; its output: ${stated.trim()}`}`))
    }
    const stopTimer = startTimer(clock, START_LIMIT_MS, () => fail(`no output for ${START_LIMIT_MS} ms`))
    const out = child.stdout as Readable
    const lines = createInterface({ input: out })
    lines.on('line', (line) => {
      const port = LISTENING.exec(line.trim())?.[1]
      if (port === undefined) return
      stopTimer()
      lines.close()
      out.resume()
      resolve(Number(port))
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      stated = `${stated}${chunk}`.slice(-500)
    })
    child.once('error', (error) => fail(error.message))
    child.once('close', (code, signal) => fail(`it ended with ${signal ?? `code ${code}`}`))
  })
}

async function call(rpcUrl: string, clock: Clock, method: string, params: readonly unknown[]): Promise<unknown> {
  const deadline = startDeadline(clock, CALL_LIMIT_MS)
  try {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: deadline.signal,
    })
    const reply = (await response.json()) as { result?: unknown; error?: { message?: string } }
    if (reply.error) throw new Error(`anvil refused ${method}: ${reply.error.message ?? 'no reason given'}`)
    return reply.result
  } finally {
    deadline.clear()
  }
}

/**
 * Kills the child when this process ends. A killed process can do nothing, so a shell waits for the end of a pipe that
 * only this process holds; it goes with the child, so that the id cannot mean another process by then.
 */
function dieTogether(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL')
  if (child.pid === undefined) return
  process.once('exit', kill)
  const guard = spawn('/bin/sh', ['-c', 'read _; kill -9 "$0"', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  child.once('exit', () => {
    process.off('exit', kill)
    guard.kill('SIGKILL')
  })
}

async function endChild(child: ChildProcess, ended: Promise<void>, clock: Clock): Promise<void> {
  child.kill('SIGTERM')
  const stopTimer = startTimer(clock, STOP_GRACE_MS, () => void child.kill('SIGKILL'))
  await ended
  stopTimer()
}

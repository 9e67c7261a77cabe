// `npm run bench:start`: seconds until the daemon is ready, on a new data directory and on one that it has run on before,
// by the wall clock and in processor time of the daemon and its detector process; beside them a bare Node that loads
// onnxruntime. Each phase is the wall time of the log line that ends it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { packagePath } from '../../src/core/files.js'
import { readControlFile } from '../../src/observe/control-file.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { startSandbox } from '../support/sandbox.js'
import { childrenMs, childrenOf, peakMb, processorMs } from './processor-time.js'

const LIMIT_MS = 120_000
const LOOK_EVERY_MS = 20
/** What V8 compiles while the queue's database first works counts, too. */
const FIRST_WORK_MS = 5000
const print = (line: string) => process.stdout.write(`${line}\n`)

/** Processor time of a process and of its children, seconds, and the largest memory of a child, MiB. */
async function costOf(pid: number): Promise<{ seconds: number; childMb: number }> {
  const peaks = await Promise.all((await childrenOf(pid)).map(peakMb))
  return { seconds: ((await processorMs(pid)) + (await childrenMs(pid))) / 1000, childMb: Math.max(0, ...peaks) }
}

function startDaemon(sandbox: Sandbox, dataDir: string): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), 'run'], {
    env: {
      PATH,
      HOME,
      ATTESTD_SERVICE_URL: sandbox.url,
      ATTESTD_IPFS_GATEWAYS: sandbox.url,
      ATTESTD_ACCESS_KEY: sandbox.attesterKey.accessKey,
      ATTESTD_SIGNING_SECRET: sandbox.attesterKey.signingSecret,
      ATTESTD_DATA_DIR: dataDir,
      ATTESTD_HTTP_PORT: '0',
      // What is in a cage is not counted with its parent.
      ATTESTD_DETECTOR_CAGE: 'off',
      ATTESTD_LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function isReady(daemon: ChildProcess, dataDir: string): Promise<boolean> {
  if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`)
  const control = await readControlFile(dataDir)
  if (!control || control.pid !== daemon.pid) return false
  return fetch(new URL('/readyz', control.url)).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function measureStart(name: string, sandbox: Sandbox, dataDir: string, bareSeconds: number): Promise<void> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  const daemon = startDaemon(sandbox, dataDir)
  const phases: string[] = []
  createInterface({ input: daemon.stdout! }).on('line', (line) => {
    const { msg } = JSON.parse(line) as { msg?: string }
    if (msg !== undefined) phases.push(`${msg} ${seconds().toFixed(1)} s`)
  })
  try {
    while (!(await isReady(daemon, dataDir))) {
      if (performance.now() - began > LIMIT_MS) throw new Error('the daemon was not ready in time')
      await sleep(LOOK_EVERY_MS)
    }
    const wall = seconds()
    const cost = await costOf(daemon.pid!)
    print(
      `${name}: ready after ${wall.toFixed(2)} s; ${cost.seconds.toFixed(2)} s of processor time, ` +
        `${(cost.seconds / bareSeconds).toFixed(1)} times the bare start; detector process ${cost.childMb.toFixed(0)} MiB at most`,
    )
    print(`  ${phases.join('; ')}`)
    await sleep(FIRST_WORK_MS)
    print(`  the daemon itself: ${(await peakMb(daemon.pid!)).toFixed(0)} MiB at most`)
  } finally {
    daemon.kill('SIGTERM')
    await once(daemon, 'exit')
  }
}

/** Processor time of a Node that does nothing but load onnxruntime, seconds. */
function bareStart(): number {
  const script =
    "require('onnxruntime-node'); const { user, system } = process.cpuUsage(); console.log((user + system) / 1e6)"
  return Number(execFileSync(process.execPath, ['-e', script], { cwd: packagePath(), encoding: 'utf8' }))
}

const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-bench-'))
const sandbox = await startSandbox({ embeddedWallet: null })
try {
  const bare = bareStart()
  print(
    `${os.availableParallelism()} cores, Node ${process.version}; bare Node with onnxruntime ${bare.toFixed(2)} s of processor time`,
  )
  await measureStart('new data directory', sandbox, folder, bare)
  await measureStart('kept data directory', sandbox, folder, bare)
} finally {
  await sandbox.close()
  await fs.rm(folder, { recursive: true, force: true })
}

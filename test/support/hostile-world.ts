import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../../src/core/clock.js'
import { packagePath } from '../../src/core/files.js'
import { asRisk } from '../../src/core/risk.js'
import { Ledger, type LedgerEntry } from '../../src/pipeline/ledger.js'
import { placeEmptyDatabase } from '../../src/queue/embedded/empty-database.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { writeTinyPackage } from './detector-package.js'
import { HOSTILE, HOSTILE_NAME } from './hostile-texts.js'
import { type LabBench, labBenchIn } from './lab-bench.js'
import { writeModulePackage } from './other-packages.js'
import { startSandbox } from './sandbox.js'

/** A folder, packages, a ledger and a service in which every text that can be chosen from outside is hostile. */
export interface HostileWorld {
  readonly folder: string
  readonly sandbox: HostileSandbox
  readonly lab: LabBench
  /** With rows of every kind. */
  readonly ledgerDir: string
  readonly at: (...names: string[]) => string
  dispose(): Promise<void>
}

/** The running `attestd sandbox`, with all that it has printed so far. */
export interface HostileSandbox extends Pick<Sandbox, 'url' | 'attesterKey' | 'submitterKey' | 'sessionToken'> {
  printed(): string
  close(): Promise<void>
}

export async function createHostileWorld(): Promise<HostileWorld> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-hostile-'))
  const at = (...names: string[]) => path.join(folder, ...names)
  const lab = await labBenchIn(at('lab'))
  await writeHostilePackages(at('models'))
  await writeHostileLedger(at('recorded', 'ledger'))
  await placeEmptyDatabase(at('daemon', 'queue', 'pg'), false, systemClock)
  await fs.copyFile(packagePath('samples', 'coffee.jpg'), at(`${HOSTILE_NAME}.jpg`))
  const sandbox = await startHostileSandbox(at('service'), at(HOSTILE_NAME, 'secrets'))
  return {
    folder,
    sandbox,
    lab,
    ledgerDir: at('recorded'),
    at,
    dispose: async () => {
      await sandbox.close()
      await fs.rm(folder, { recursive: true })
    },
  }
}

/** One with a hostile title, one that answers hostile words and fails with them, and one in a folder of a hostile name. */
async function writeHostilePackages(modelsDir: string): Promise<void> {
  await writeTinyPackage(modelsDir, { manifest: { title: HOSTILE_NAME, [HOSTILE_NAME]: 1 }, id: 'misspelt' })
  await writeTinyPackage(modelsDir, { manifest: { title: HOSTILE_NAME } })
  const words = JSON.stringify(HOSTILE)
  const main = `
import fs from 'node:fs/promises'
export const createDetector = () => ({
  async measure(file) {
    if ((await fs.readFile(file, 'utf8')).startsWith('fail')) throw new Error(${words})
    return { logit: 3, notes: ${words}, parts: [{ name: ${words}, logit: 3 }] }
  },
})`
  await writeModulePackage(modelsDir, { 'main.mjs': main })
  await fs.mkdir(path.join(modelsDir, HOSTILE_NAME))
}

async function writeHostileLedger(folder: string): Promise<void> {
  const about = {
    at: Date.UTC(2026, 0, 1),
    title: HOSTILE,
    mediaType: 'image',
    contentHash: HOSTILE,
    uri: HOSTILE,
  } as const
  const common = { ...about, assetId: HOSTILE_NAME }
  const scored = { algorithm: `${HOSTILE_NAME}@1`, detectorDigest: HOSTILE, risk: asRisk(0.5), rawScore: 1 }
  const entries: LedgerEntry[] = [
    {
      ...common,
      ...scored,
      kind: 'verdict',
      notes: HOSTILE,
      unsure: false,
      unsureBecause: null,
      platform: HOSTILE,
      expectedShare: 0.5,
      cached: false,
    },
    {
      ...common,
      ...scored,
      kind: 'shadow',
      submittedRisk: asRisk(0.5),
      agrees: true,
      wouldChange: false,
      elapsedMs: 1,
    },
    { ...common, kind: 'abstained', reason: 'media-corrupt', message: HOSTILE },
    {
      ...common,
      ...scored,
      kind: 'receipt',
      outcome: 'accepted',
      scoreId: HOSTILE,
      expectedShare: 0.5,
      openToRecordMs: 1,
    },
    { ...common, kind: 'failed', queue: 'analyze', reason: 'detector-failed', message: HOSTILE },
  ]
  const ledger = new Ledger(folder)
  for (const entry of entries) await ledger.append(entry)
}

/** A real service whose books hold hostile ids, titles and URIs, which it takes from no submitter. */
async function startHostileSandbox(folder: string, secrets: string): Promise<HostileSandbox> {
  const first = await startSandbox({ dataDirectory: folder })
  const { attesterKey, submitterKey, sessionToken } = first
  const picture = await first.registerFile(packagePath('samples', 'coffee.jpg'))
  const text = await first.registerFile('a.txt', { content: Buffer.from('fail '.repeat(100)), mediaType: 'text' })
  await first.close()
  const file = path.join(folder, 'state.json')
  const state = JSON.parse(await fs.readFile(file, 'utf8'))
  const texts = { title: HOSTILE, mediaContext: HOSTILE_NAME }
  const assets = [
    { ...picture, ...texts, id: `picture ${HOSTILE_NAME}` },
    { ...text, ...texts, id: `text ${HOSTILE_NAME}` },
    // Of other content: a verdict on the picture would be its own.
    {
      ...picture,
      ...texts,
      id: `elsewhere ${HOSTILE_NAME}`,
      uri: `ftp://${HOSTILE_NAME}`,
      contentHash: `0x${'e'.repeat(64)}`,
    },
    { ...picture, ...texts, id: `nul ${HOSTILE}` },
  ]
  state.books.assets.push(...assets)
  await fs.writeFile(file, JSON.stringify(state))
  const running = await runSandbox(['--data', folder, '--secrets', secrets])
  return { ...running, attesterKey, submitterKey, sessionToken }
}

/** The verb itself, since what it prints is looked at too. Rejects with what it printed where it does not start. */
async function runSandbox(args: readonly string[]): Promise<Pick<HostileSandbox, 'url' | 'printed' | 'close'>> {
  const { PATH = '' } = process.env
  const command = [packagePath('dist', 'cli', 'main.js'), 'sandbox', '--port', '0', ...args]
  const child = spawn(process.execPath, command, {
    env: { PATH, HOME: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        printed += chunk
        const listening = /listens at (\S+)/.exec(printed)
        if (listening) resolve(listening[1]!)
      })
    exited.then(() => reject(new Error(`the sandbox ended: ${printed}`)), reject)
  })
  const close = async () => {
    child.kill('SIGTERM')
    await exited
  }
  return { url, printed: () => printed, close }
}

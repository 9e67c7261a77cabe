import fs from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { csvCell } from '../../src/core/csv.js'
import { packagePath } from '../../src/core/files.js'
import { Ledger } from '../../src/pipeline/ledger.js'
import { attestdRefused, attestdVerb, type EndedVerb } from '../support/attestd-verb.js'
import { DaemonHere } from '../support/daemon-here.js'
import { startHostileFront } from '../support/hostile-front.js'
import { HOSTILE_NAME, harmIn, isShown } from '../support/hostile-texts.js'
import { createHostileWorld, type HostileWorld } from '../support/hostile-world.js'

let world: HostileWorld
beforeAll(async () => {
  world = await createHostileWorld()
})
afterAll(() => world?.dispose())

/** Runs a verb and holds all that it printed to the rule; `shown` is where hostile data must have been. */
async function harmless(
  shown: 'out' | 'err' | 'nowhere',
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedVerb> {
  // No `run` here has good settings.
  const ended = await (args[0] === 'run' ? attestdRefused : attestdVerb)(args, {
    ATTESTD_MODELS_DIR: world.at('models'),
    ATTESTD_DATA_DIR: world.at('daemon'),
    // A narrow table cuts the cells that this is about.
    COLUMNS: '400',
    ...env,
  })
  expect(harmIn(ended.out), ended.out.slice(0, 3000)).toBeNull()
  expect(harmIn(ended.err), ended.err.slice(0, 3000)).toBeNull()
  if (shown !== 'nowhere')
    expect(isShown(ended[shown]), `${ended.out.slice(0, 3000)}\n${ended.err.slice(0, 3000)}`).toBe(true)
  return ended
}

/** The same for a verb that prints JSON, which holds the hostile text as it came. */
async function harmlessJson(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { out } = await harmless('out', args, env)
  const parsed: unknown = JSON.parse(out)
  expect(JSON.stringify(parsed)).toContain(JSON.stringify(HOSTILE_NAME).slice(1, -1))
  return parsed
}

describe('verbs about files print', () => {
  it.each(['table', 'csv', 'json'])('scores --format %s', async (format) => {
    const args = ['scores', '--format', format, '--data-dir', world.ledgerDir]
    await (format === 'json' ? harmlessJson(args) : harmless('out', args))
  })

  it('replay', async () => {
    const args = ['replay', HOSTILE_NAME, '--data-dir', world.ledgerDir]
    await harmless('out', args)
    await harmlessJson([...args, '--json'])
  })

  it('score, of a file and by a package with hostile words', async () => {
    const file = world.at(`${HOSTILE_NAME}.txt`)
    await fs.writeFile(file, 'fine '.repeat(100))
    await harmless('out', ['score', file, '--media-type', 'text', '--detectors', 'by-module'])
    await harmless('out', ['score', file, '--media-type', 'text', '--detectors', 'by-module', '--json'])
    await harmless('err', ['score', `${file}.none`])
    await harmless('err', ['score', `ftp://${HOSTILE_NAME}`])
  })

  it('models list and verify', async () => {
    await harmless('out', ['models', 'list'])
    await harmless('err', ['models', 'verify', '--detectors', 'misspelt'])
  })

  it('settings: in a file, of a secret, by a flag', async () => {
    const file = world.at(`${HOSTILE_NAME}.yaml`)
    const key = JSON.stringify(HOSTILE_NAME)
    await fs.writeFile(file, `service:\n  url: ${key}\n  ${key}: 1\n${key}:\n  a: 1\n`)
    await harmless('err', ['run', '--config', file])
    await harmless('err', ['run', '--config', `${file}.none`])
    await harmless('err', ['run'], { ATTESTD_SIGNING_SECRET_FILE: `./${HOSTILE_NAME}` })
    await harmless('err', ['scores', '--limit', HOSTILE_NAME])
  })

  it('command lines that cannot be carried out', async () => {
    await harmless('err', [HOSTILE_NAME])
    await harmless('err', ['run', `--${HOSTILE_NAME}`])
    await harmless('err', ['scores', '--format', HOSTILE_NAME])
    await harmless('err', ['sandbox', '--session-secret-file', HOSTILE_NAME])
    await harmless('err', ['status', '--data-dir', HOSTILE_NAME])
  })

  it('init, wallet create and wallet address', async () => {
    await harmless('out', ['init', world.at(HOSTILE_NAME)])
    await harmless('out', ['init', world.at(`${HOSTILE_NAME}2`), '--api', 'wallet-session'])
    await harmless('err', ['init', world.at(HOSTILE_NAME)])
    const wallet = ['wallet', 'create', world.at(`${HOSTILE_NAME}.json`)]
    const password = { ATTESTD_WALLET_PASSWORD: 'a password of some length' }
    await harmless('out', wallet, password)
    const keystore = world.at(`${HOSTILE_NAME}2.json`)
    await fs.writeFile(keystore, JSON.stringify({ version: 3, crypto: { kdf: HOSTILE_NAME } }), { mode: 0o600 })
    const settings = { ATTESTD_WALLET: 'keystore', ATTESTD_WALLET_KEYSTORE: keystore }
    await harmless('err', ['wallet', 'address'], { ...settings, ...password })
  })
})

describe('the lab prints', () => {
  let index: string
  beforeAll(async () => {
    index = await world.lab.writePictures(
      Array.from({ length: 60 }, (_, nth) => ({
        name: `${nth}.png`,
        // Mostly the red ones are fake: what a calibration can be fitted to.
        label: nth >= 30 !== (nth % 7 === 0) ? 'fake' : 'real',
        red: nth * 4,
        source: HOSTILE_NAME,
        generator: HOSTILE_NAME,
      })),
      `${HOSTILE_NAME}.csv`,
    )
  })
  const lab = (...args: string[]) => ['models', ...args, '--models-dir', world.lab.modelsDir]

  it('eval, compare and admit', async () => {
    const data = ['--data', index, '--limit', '12']
    await harmless('out', lab('eval', 'tiny-image', ...data, '--out', world.at(HOSTILE_NAME, 'eval')))
    JSON.parse((await harmless('out', [...lab('compare', 'tiny-image', 'tiny-image'), ...data, '--json'])).out)
    await harmless('out', lab('admit', 'tiny-image', '--license', HOSTILE_NAME))
    await harmless('err', lab('eval', HOSTILE_NAME, ...data))
    await harmless('err', lab('eval', 'tiny-image', '--data', HOSTILE_NAME))
  })

  it('calibrate', async () => {
    await harmlessJson(lab('calibrate', 'tiny-image', '--data', index, '--json'))
    const labels = world.at('labels.csv')
    await fs.writeFile(labels, `path,label\n0.png,${csvCell(HOSTILE_NAME)}\n`)
    await harmless('err', lab('calibrate', 'tiny-image', '--data', labels))
  })

  it('import', async () => {
    const folder = world.at(HOSTILE_NAME, 'export')
    await fs.mkdir(folder, { recursive: true })
    const config = { architectures: [HOSTILE_NAME], id2label: { 0: HOSTILE_NAME, 1: 'fake' } }
    await fs.writeFile(path.join(folder, 'config.json'), JSON.stringify(config))
    await harmless('err', lab('import', folder))
  })
})

describe('verbs about a service print', () => {
  const envOf = (url: string) => {
    const { attesterKey, sessionToken } = world.sandbox
    return {
      ATTESTD_SERVICE_URL: url,
      ATTESTD_IPFS_GATEWAYS: world.sandbox.url,
      ATTESTD_ACCESS_KEY: attesterKey.accessKey,
      ATTESTD_SIGNING_SECRET: attesterKey.signingSecret,
      ATTESTD_SESSION_TOKEN: sessionToken,
    }
  }
  const submitterOf = (url: string) => {
    const { accessKey, signingSecret } = world.sandbox.submitterKey
    return { ...envOf(url), ATTESTD_ACCESS_KEY: accessKey, ATTESTD_SIGNING_SECRET: signingSecret }
  }

  it('doctor, keys and register, of a service that answers', async ({ onTestFinished }) => {
    const front = await startHostileFront(world.sandbox.url)
    onTestFinished(() => front.close())
    const odd = { [`ATTESTD_${HOSTILE_NAME}`]: HOSTILE_NAME }
    await harmless('out', ['doctor', '--detectors', 'tiny-image'], { ...envOf(front.url), ...odd })
    const create = ['keys', 'create', '--kind', 'attester', '--out']
    await harmless('out', [...create, world.at('key')], envOf(front.url))
    await harmlessJson([...create, world.at('key2'), '--json'], envOf(front.url))
    const register = ['register', world.at(`${HOSTILE_NAME}.jpg`), '--title', HOSTILE_NAME, '--timeout', '1s']
    const printed = await harmless('out', register, submitterOf(front.url))
    expect(isShown(printed.err)).toBe(true)
    await harmlessJson([...register, '--no-follow', '--json'], submitterOf(front.url))
  })

  it('doctor, keys and register, of a service that refuses', async ({ onTestFinished }) => {
    const front = await startHostileFront(world.sandbox.url, /^\/api\/(?!v1\/time)/)
    onTestFinished(() => front.close())
    JSON.parse((await harmless('out', ['doctor', '--detectors', 'tiny-image', '--json'], envOf(front.url))).out)
    await harmless('err', ['keys', 'create', '--kind', 'attester', '--out', world.at('key3')], envOf(front.url))
    await harmless('err', ['keys', 'revoke', HOSTILE_NAME], envOf(front.url))
    await harmless('err', ['register', packagePath('samples', 'coffee.jpg')], submitterOf(front.url))
  })

  it('run with a log for people; status, queue, scores, replay and models at the same time', async () => {
    const env = {
      ...envOf(world.sandbox.url),
      ATTESTD_MODELS_DIR: world.at('models'),
      ATTESTD_DETECTORS: 'tiny-image,by-module',
      ATTESTD_UNSURE_POLICY: 'submit',
      ATTESTD_HTTP_PORT: '0',
      ATTESTD_LOG_FORMAT: 'pretty',
      ATTESTD_LOG_LEVEL: 'debug',
    }
    const files = { dataDir: world.at('daemon'), logFile: world.at('daemon.log') }
    const daemon = new DaemonHere(env, files)
    try {
      await daemon.ready()
      await whileItRuns()
    } finally {
      await daemon.drain()
    }
    expect(harmIn(daemon.output)).toBeNull()
    expect(isShown(daemon.output)).toBe(true)
  })

  /** What the verbs say while the daemon runs. */
  async function whileItRuns(): Promise<void> {
    const at = ['--data-dir', world.at('daemon')]
    const ledger = new Ledger(world.at('daemon', 'ledger'))
    const kinds = async () => (await ledger.recent(100)).map(({ kind }) => kind)
    const all = ['abstained', 'failed', 'receipt', 'verdict']
    await expect.poll(kinds).toEqual(expect.arrayContaining(all))
    await harmlessJson(['scores', '--format', 'json', ...at])
    await harmless('out', ['queue', 'failed', ...at])
    await harmlessJson(['queue', 'failed', '--json', ...at])
    await harmlessJson(['status', '--json', ...at])
    for (const verb of [['status'], ['status', '--fleet'], ['status', '--fleet', '--json'], ['models', 'canary']])
      await harmless('nowhere', [...verb, ...at])
    await harmless('err', ['models', 'reload', '--detectors', 'misspelt', ...at])
    await harmless('nowhere', ['queue', 'retry', '--id', HOSTILE_NAME, ...at])
    await harmless('nowhere', ['replay', `picture ${HOSTILE_NAME}`, ...at, '--ipfs-gateways', world.sandbox.url])
    await rolledBackToSpoiled(at)
  }

  /** The detectors that the daemon is told to go back to have a package with hostile words by then. */
  async function rolledBackToSpoiled(at: readonly string[]): Promise<void> {
    await harmless('nowhere', ['models', 'reload', '--detectors', 'tiny-image', ...at])
    const manifest = world.at('models', 'by-module', 'detector.json')
    const fields = JSON.parse(await fs.readFile(manifest, 'utf8')) as object
    await fs.writeFile(manifest, JSON.stringify({ ...fields, [HOSTILE_NAME]: 1 }))
    await harmless('err', ['models', 'rollback', ...at])
  }
})

// `demo` is not run: it scores the project's own samples by its own service and daemon, in a folder of its own.

it('what a running sandbox prints of its folders, its books and all requests above', () => {
  const printed = world.sandbox.printed()
  expect(harmIn(printed), printed).toBeNull()
  expect(isShown(printed)).toBe(true)
})

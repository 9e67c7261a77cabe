import { spawnSync } from 'node:child_process'
import fs from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { asRisk } from '../../src/core/risk.js'
import { Ledger, type LedgerEntry } from '../../src/pipeline/ledger.js'
import { attestdProcess, attestdRefused, attestdVerb } from '../support/attestd-verb.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { folderForAll } from '../support/temporary-folder.js'

const folder = folderForAll()
const attemptMs = net.getDefaultAutoSelectFamilyAttemptTimeout()

const environment = () => ({ HOME: folder, ATTESTD_DATA_DIR: path.join(folder, 'data') })
const attestd = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  // No `run` here has good settings.
  (args[0] === 'run' ? attestdRefused : attestdVerb)(args, { ...environment(), ...env })

it('waits longer for an address of a host than Node, whose 250 ms no path of a longer round trip meets', async () => {
  try {
    net.setDefaultAutoSelectFamilyAttemptTimeout(250)
    await attestd(['completion', 'bash'])
    expect(net.getDefaultAutoSelectFamilyAttemptTimeout()).toBe(1000)
  } finally {
    net.setDefaultAutoSelectFamilyAttemptTimeout(attemptMs)
  }
})

describe('the command line, as a process', () => {
  const attestd = (args: readonly string[]) => attestdProcess(args, environment())

  it.each(['18.20.8', '20.18.3'])('Node %s is refused by name', (old) => {
    const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${old}' } })`
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(versions)}`,
      packagePath('dist', 'cli', 'main.js'),
    ]
    const { status, stderr } = spawnSync(process.execPath, [...args, 'doctor'], { encoding: 'utf8' })
    expect(stderr).toMatch(
      new RegExp(`Node 20\\.19 or newer is needed\\. This is ${old}\\.  \\[node-too-old\\]\n  fix  `),
    )
    expect(status).toBe(78)
  })

  it('prints its version, and its verbs', async () => {
    const { version } = JSON.parse(await fs.readFile(packagePath('package.json'), 'utf8'))
    expect(await attestd(['--version'])).toMatchObject({ code: 0, out: `${version}\n` })
    const { code, out } = await attestd(['--help'])
    expect(code).toBe(0)
    for (const verb of [
      'run',
      'demo',
      'init',
      'doctor',
      'status',
      'score',
      'scores',
      'replay',
      'models',
      'wallet',
      'register',
      'keys',
      'sandbox',
      'queue',
    ]) {
      expect(out).toMatch(new RegExp(`^  ${verb}\\b`, 'm'))
    }
  })

  it('a wrong command line exits with 64', async () => {
    expect(await attestd(['cook'])).toMatchObject({ code: 64, err: expect.stringMatching(/error:/) })
  })
})

describe('command lines', () => {
  it.each([[['run', '--no-such-flag']], [['score']], [['scores', '--format', 'xml']], [['queue', 'cook']]])(
    'a wrong command line (%j) exits with 64',
    async (args) => {
      const { code, err } = await attestd(args)
      expect(code).toBe(64)
      expect(err).toMatch(/error:/)
    },
  )

  it('a verb that only has subverbs prints its help as laid out', async () => {
    const { code, err } = await attestd(['queue'])
    expect(code).toBe(64)
    expect(err).toMatch(/^Usage: attestd queue .*\n\nInspect[\s\S]*\n\nCommands:\n {2}failed /)
  })

  it('secrets have no flag, because a command line is visible to all users', async () => {
    const { out } = await attestd(['run', '--help'])
    expect(out).toContain('--service-url')
    expect(out).not.toMatch(/--signing-secret|--access-key|--http-password/)
  })
})

it.each([
  'status',
  'scores',
  'queue failed',
  ...['list', 'verify', 'reload', 'rollback', 'canary', 'eval', 'calibrate', 'compare', 'admit'].map(
    (verb) => `models ${verb}`,
  ),
])('a verb that prints a table %s has --json', async (verb) => {
  expect((await attestd([...verb.split(' '), '--help'])).out).toMatch(/^ +--json /m)
})

describe('attestd init', () => {
  it('writes a settings file for the owner only, and never overwrites', async () => {
    const home = path.join(folder, 'new')
    const made = await attestd(['init', home, '--service-url', 'https://verify.example'])
    expect(made).toMatchObject({ code: 0 })
    expect(made.out).toMatch(/commercial use allowed: .*attestd-text-open.*attestd-video-open/)
    expect((await fs.stat(path.join(home, 'attestd.yaml'))).mode & 0o777).toBe(0o600)
    const again = await attestd(['init', home])
    expect(again).toMatchObject({ code: 78, err: expect.stringContaining('already exists') })
  })

  it('for a wallet-session service lists wallet and stake contract to fill in', async () => {
    const home = path.join(folder, 'wallet')
    const { out } = await attestd(['init', home, '--api', 'wallet-session', '--service-url', 'https://verify.example'])
    expect(out).toContain('attestd wallet create')
    const config = path.join(home, 'attestd.yaml')
    const run = await attestd(['run', '--config', config])
    expect(run.code).toBe(78)
    expect(run.err).toMatch(/wallet\.keyFile[\s\S]*wallet_key \(empty\)[\s\S]*ATTESTD_STAKE_CONTRACT/)
    expect(run.err).not.toMatch(/ATTESTD_ACCESS_KEY|accessKeyFile/)
    await fs.writeFile(path.join(home, 'secrets', 'wallet_key'), `0x${'11'.repeat(32)}\n`)
    const written = await fs.readFile(config, 'utf8')
    await fs.writeFile(config, written.replace('stakeContract:', `stakeContract: 0x${'22'.repeat(20)}`))
    const address = await attestd(['wallet', 'address', '--config', config])
    // Of the private key 0x11…11, as every wallet gives it.
    expect(address).toMatchObject({ code: 0, out: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A\n' })
  })
})

describe('attestd scores', () => {
  const entry = {
    at: Date.UTC(2026, 0, 1),
    assetId: 'a1',
    title: 't',
    mediaType: 'image',
    contentHash: '0x',
    uri: 'ipfs://x',
  } as const
  const entries: LedgerEntry[] = [
    { ...entry, kind: 'abstained', reason: 'media-corrupt', message: '=HYPERLINK("x"), "quoted"\u001b[31m' },
    {
      ...entry,
      kind: 'receipt',
      outcome: 'accepted',
      risk: asRisk(0.125),
      algorithm: 'd@1',
      scoreId: 's1',
      expectedShare: 0.5,
      openToRecordMs: 900,
    },
  ]
  beforeAll(async () => {
    const ledger = new Ledger(path.join(folder, 'data', 'ledger'))
    for (const one of entries) await ledger.append(one)
  })

  it('prints JSON, newest first', async () => {
    const { out } = await attestd(['scores', '--format', 'json'])
    expect(JSON.parse(out)).toEqual([{ ...entries[1], risk: 12.5 }, entries[0]])
  })

  it('prints CSV, quoted, with no cell that a spreadsheet would run', async () => {
    const { out } = await attestd(['scores', '--format', 'csv', '--kind', 'abstained'])
    expect(out).toContain(`"'=HYPERLINK(""x""), ""quoted""`)
  })

  it('prints a table of 80 columns, and names the columns left out', async () => {
    const lines = (await attestd(['scores'])).out.trimEnd().split('\n')
    for (const line of lines.slice(0, -1)) expect(line.length).toBeLessThanOrEqual(80)
    expect(lines[0]).toMatch(/^at \(UTC\) +kind .*reason +notes$/)
    expect(lines.at(-1)).toMatch(/^Left out at 80 columns: .*openToRecordMs.* \(--json has all\)\.$/)
  })

  it('for an asset without a record prints the data directory, and where the record may be', async () => {
    const { out } = await attestd(['scores', '--asset', 'ast_unknown'])
    expect(out).toMatch(/^No record of ast_unknown in \/.*\. On a fleet, the daemon that analyzed it has the record\./)
    expect((await attestd(['scores', '--kind', 'failed'])).out).toMatch(/^No record of kind failed in/)
  })

  it('prints shadows as a table of 80 columns with their detector, and names the columns left out', async () => {
    const dataDir = path.join(folder, 'shadows')
    await new Ledger(path.join(dataDir, 'ledger')).append({
      ...entry,
      kind: 'shadow',
      assetId: `ast_${'a'.repeat(20)}`,
      algorithm: 'attestd-image-open@3.0.1',
      detectorDigest: 'd',
      risk: asRisk(0.125),
      rawScore: 0,
      submittedRisk: asRisk(0.75),
      agrees: false,
      wouldChange: true,
      elapsedMs: 1,
    })
    const { out } = await attestd(['scores', '--kind', 'shadow', '--data-dir', dataDir])
    const lines = out.trimEnd().split('\n')
    expect(lines[2]).toBe(`shadow  disagrees  ast_${'a'.repeat(20)}  12.5  attestd-image-open@3.0.1`)
    const left = 'at (UTC), mediaType, notes'
    expect(lines.at(-1)).toBe(`Left out at 80 columns: ${left} (--json has all).`)
  })

  it('prints a table with the risk out of 100 and the algorithm', async () => {
    const { out } = await attestd(['scores'], { COLUMNS: '200' })
    expect(out).toMatch(/accepted {2}a1 .* 12\.5 {2}d@1/)
  })
})

describe('detector packages', () => {
  // That the shipped ones verify and score is shown on what the image holds, in test/docs.
  let models: string
  beforeAll(async () => {
    models = path.join(folder, 'models')
    await writeTinyPackage(models)
  })

  it('verify by a real inference in a real child', async () => {
    const { code, out } = await attestd(['models', 'verify', '--models-dir', models])
    expect(code).toBe(0)
    expect(out).toMatch(/✓ tiny-image@1\.0\.0/)
  })

  it('score --explain writes a heat map of a picture, and states why other media have none', async () => {
    const sample = packagePath('samples', 'quilted-grass.jpg')
    const map = path.join(folder, 'map.png')
    const score = (...args: string[]) => attestd(['score', sample, '--models-dir', models, ...args])
    const { code, out } = await score('--explain', map)
    expect(code).toBe(0)
    expect(out).toMatch(/^risk [\d.]+ of 100\n/)
    expect(out).toMatch(/\nheat map: \d+ pieces scored by themselves, risks [\d.]+ to [\d.]+\n/)
    expect((await fs.readFile(map)).toString('latin1', 1, 4)).toBe('PNG')
    const other = await score('--media-type', 'audio', '--explain', map)
    expect(other.code).not.toBe(0)
    expect(other.err).toContain('A heat map needs a picture; audio has none.')
    const nowhere = await score('--explain', path.join(folder, 'no', 'map.png'))
    expect(nowhere.err).toContain('cannot be written')
    const drawn = await fs.readFile(map)
    const itself = await attestd(['score', map, '--models-dir', models, '--explain', map])
    expect(itself).toMatchObject({ code: 64, err: expect.stringContaining('would replace the picture') })
    expect(await fs.readFile(map)).toEqual(drawn)
  })

  it('score FILE scores a sample and submits nothing; a file that is no image has a named outcome', async () => {
    const score = (...args: string[]) => attestd(['score', ...args, '--models-dir', models])
    const { code, out } = await score(packagePath('samples', 'coffee.jpg'), '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ detectorId: 'tiny-image', risk: expect.any(Number) })
    const text = await score(packagePath('package.json'), '--media-type', 'image')
    expect(text.code).toBe(1)
    expect(text.err).toMatch(/\[media-(type-mismatch|unsupported)\]/)
    const absent = await score(path.join(folder, 'none.jpg'))
    expect(absent).toMatchObject({ code: 64, err: expect.stringContaining('does not exist') })
  })
})

it('attestd queue, with no daemon running opens the embedded queue itself', async () => {
  const env = { ATTESTD_DATA_DIR: path.join(folder, 'queue-data') }
  expect(await attestd(['queue', 'failed'], env)).toMatchObject({ code: 0, out: 'No failed jobs.\n' })
  expect(await attestd(['queue', 'retry', '--queue', 'submit'], env)).toMatchObject({ code: 0 })
  expect(await attestd(['queue', 'drain', '--queue', 'cook'], env)).toMatchObject({ code: 64 })
})

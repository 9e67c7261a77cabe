import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { attestdRefused, attestdVerb } from '../support/attestd-verb.js'
import { DaemonHere } from '../support/daemon-here.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { endServer, listen, portOf, urlAnswering } from '../support/local-server.js'
import { folderForAll } from '../support/temporary-folder.js'

/** A setting, a file or a service that is not as it must be, and the fix that the real command names. */

const folder = folderForAll()
const taken = net.createServer()
let takenPort: number
let started = 0

beforeAll(async () => {
  await writeTinyPackage(path.join(folder, 'models'))
  await fs.writeFile(path.join(folder, 'models', 'README.md'), 'no package')
  takenPort = portOf(await listen(taken))
})
afterAll(() => endServer(taken))

const env = (own: Readonly<Record<string, string>> = {}) => ({
  ATTESTD_DATA_DIR: path.join(folder, 'data'),
  ATTESTD_MODELS_DIR: path.join(folder, 'models'),
  ATTESTD_SERVICE_URL: 'http://127.0.0.1:9',
  ATTESTD_ACCESS_KEY: 'ak_att_a',
  ATTESTD_SIGNING_SECRET: 'secret',
  ATTESTD_HTTP_PORT: '0',
  ...own,
})

/** What `run` prints and ends with where its start refuses something. */
async function run(own: Readonly<Record<string, string>>): Promise<{ code: number; out: string }> {
  const files = { dataDir: path.join(folder, 'data'), logFile: path.join(folder, `run-${started++}.log`) }
  const daemon = new DaemonHere(env(own), files)
  return { code: await daemon.exited, out: daemon.output }
}

/** For `doctor` without detectors, an embedded queue and gateways, whose checks start a process, a database and connections. */
const LIGHT = {
  ATTESTD_DETECTORS: 'no-such',
  ATTESTD_QUEUE_URL: 'redis://127.0.0.1:9',
  ATTESTD_IPFS_GATEWAYS: 'http://127.0.0.1:9',
}
const doctor = (own: Readonly<Record<string, string>>) => attestdVerb(['doctor', '--json'], { ...LIGHT, ...own })

it('the port of the sandbox is in use: --port', async () => {
  const { code, err } = await attestdVerb(['sandbox', '--port', String(takenPort)], {})
  expect({ code, err }).toEqual({ code: 78, err: expect.stringContaining('Give --port a free port') })
})

it('a port in use or an unknown detector is reported before a detector is loaded', async () => {
  const port = await run({ ATTESTD_HTTP_PORT: String(takenPort) })
  expect(port).toMatchObject({ code: 78, out: expect.stringContaining('ATTESTD_HTTP_PORT') })
  const detector = await run({ ATTESTD_DETECTORS: 'no-such' })
  expect(detector).toMatchObject({ code: 78, out: expect.stringMatching(/no-such[\s\S]*ATTESTD_DETECTORS/) })
  expect(port.out + detector.out).not.toContain('loading detector')
})

it('settings are refused: doctor --json lists each among its checks, and exits as run does', async () => {
  const { code, err, out } = await doctor({ ATTESTD_HTTP_PORT: 'many', ATTESTD_FORMAT: 'x' })
  expect({ code, err }).toEqual({ code: 78, err: expect.stringContaining('attestd cannot start with these settings') })
  expect(JSON.parse(out)).toEqual({
    ok: false,
    checks: [
      {
        check: 'settings',
        outcome: 'failed',
        message: expect.stringMatching(/^ATTESTD_HTTP_PORT: expected .*, got "many" {2}\[setting-invalid\]$/),
        fix: 'Correct ATTESTD_HTTP_PORT.',
      },
    ],
  })
})

it.each([
  ['status', 'attestd run'],
  ['models reload', 'attestd run[^]*reaches all daemons on the queue, so there is no --queue-url'],
])('no daemon runs: %s names the command to start one', async (verb, fix) => {
  const { code, err } = await attestdVerb(verb.split(' '), env())
  expect({ code, err }).toEqual({
    code: 75,
    err: expect.stringMatching(new RegExp(`No daemon runs on [^]*daemon-not-running[^]*${fix}`)),
  })
})

it('the file is of another kind of media: --media-type', async () => {
  const { err } = await attestdVerb(['score', packagePath('samples', 'cafe-review.txt'), '--media-type', 'image'], {})
  expect(err).toMatch(/media-type-mismatch[\s\S]*--media-type text/)
})

it.each([
  [
    'a website answers instead of the service: ATTESTD_SERVICE_URL',
    'http:',
    /\[service-reply-invalid\]/,
    /not this API.*_SERVICE_URL/,
  ],
  ['https on a port without TLS: use http', 'https:', /does not speak TLS {2}\[service-unreachable\]$/, /http:\/\//],
])('%s', async (_, scheme, message, fix) => {
  const url = await urlAnswering((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'))
  const { out } = await doctor(env({ ATTESTD_SERVICE_URL: url.replace('http:', scheme) }))
  const { ok, checks } = JSON.parse(out)
  expect(ok).toBe(false)
  const texts = { message: expect.stringMatching(message), fix: expect.stringMatching(fix) }
  for (const check of ['service', 'clock', 'key and stake'])
    expect(checks).toContainEqual({ check, outcome: 'failed', ...texts })
})

it('doctor fails a disk with less room than the setting asks for', async () => {
  const { out } = await doctor(env({ ATTESTD_DISK_FREE_BYTES: '900000000GiB' }))
  expect(JSON.parse(out).checks).toContainEqual({
    check: 'data directory',
    outcome: 'failed',
    message: expect.stringMatching(/ are free on the disk of .*data, less than \d+ GiB.*disk-low/),
    fix: expect.stringContaining('ATTESTD_MEDIA_CACHE_BYTES'),
  })
})

it('doctor names an invalid queue URL and a data directory that is a file, and checks the rest', async () => {
  const file = path.join(folder, 'a-file')
  await fs.writeFile(file, '')
  const { out } = await doctor({ ...env({ ATTESTD_DATA_DIR: file }), ATTESTD_QUEUE_URL: 'redis://' })
  const { checks } = JSON.parse(out)
  const fix = 'Correct ATTESTD_QUEUE_URL.'
  expect(checks).toContainEqual({ check: 'queue', outcome: 'failed', message: expect.stringContaining('no host'), fix })
  expect(checks.map(({ check }: { check: string }) => check)).toContain('service')
  expect(out).not.toContain('internal-error')
})

it('doctor fails a misspelled setting, with the intended name, and a secret that others can read', async () => {
  const file = path.join(folder, 'signing_secret')
  await fs.writeFile(file, 'secret', { mode: 0o644 })
  const { ATTESTD_SIGNING_SECRET: _, ...rest } = env({ ATTESTD_SIGNING_SECRET_FILE: file, ATTESTD_HTTP_PROT: '1' })
  const { code, out } = await doctor(rest)
  expect(code).toBe(1)
  expect(JSON.parse(out).checks.slice(0, 2)).toMatchObject([
    { check: 'settings', outcome: 'failed', fix: 'Did you mean ATTESTD_HTTP_PORT?' },
    { check: 'secrets', outcome: 'failed', fix: `Run chmod 600 ${file}.` },
  ])
})

it('the help describes a setting without setting it', async () => {
  expect((await attestdVerb(['run', '--help'], {})).out.replaceAll(/\s+/g, ' ')).toContain('(default: 8780)')
})

it.each<[string, string[], RegExp]>([
  ['a folder to score', ['score', os.tmpdir()], /<file-or-uri> takes a file: .* is a folder/],
  ['a file that is not there', ['score', 'nope.jpg'], /<file-or-uri> takes a file: .*nope\.jpg does not exist/],
  ['a limit that is no number', ['scores', '--limit', 'abc'], /--limit takes a whole number from 1, got "abc"/],
  [
    'data that is not there',
    ['models', 'eval', 'x', '--data', '/no/data.csv'],
    /--data takes a file or folder: .*data\.csv does not exist/,
  ],
  [
    'a package that is not there',
    ['models', 'eval', 'vit', '--data', 'ROWS'],
    /no package vit[\s\S]*fix .* one of tiny-image\./,
  ],
  ['a file to import', ['models', 'import', process.execPath], /<folder> takes a folder: .* is a file/],
  ['an id with capitals', ['models', 'import', os.tmpdir(), '--id', 'My Detector'], /--id takes .*"my-detector"/],
  ['a language', ['models', 'import', os.tmpdir(), '--languages', 'en,klingon'], /--languages .*"klingon"/],
  ['a file to register', ['register', 'nope.jpg'], /<file> takes a file: .*nope\.jpg does not exist/],
])('a wrong argument is a wrong command line (64), and names itself %s', async (_, args, expected) => {
  const rows = path.join(folder, 'rows.csv')
  await fs.writeFile(rows, 'text,label\na,real\nb,fake\n')
  const { code, err } = await attestdVerb(
    args.map((word) => (word === 'ROWS' ? rows : word)),
    env(),
  )
  expect({ code, err }).toEqual({ code: 64, err: expect.stringMatching(expected) })
  expect(err).not.toMatch(/ENOENT|ENOTDIR|EISDIR|invalid_/)
})

describe('the settings', () => {
  it('file that is missing is the only problem, and the fix is its path', async () => {
    const { code, err } = await attestdRefused(['run', '--config', path.join(folder, 'absent.yaml')], {})
    expect(code).toBe(78)
    expect(err).toMatch(/absent\.yaml[\s\S]*fix .*--config or ATTESTD_CONFIG/)
    expect(err).not.toContain('ATTESTD_SERVICE_URL')
  })

  it('may name a secret or its file, not both', async () => {
    const { code, err } = await attestdVerb(['doctor'], env({ ATTESTD_SIGNING_SECRET_FILE: '/run/secrets/x' }))
    expect({ code, err }).toEqual({
      code: 78,
      err: expect.stringContaining('either ATTESTD_SIGNING_SECRET or ATTESTD_SIGNING_SECRET_FILE'),
    })
  })

  it('that are misspelled are reported with the intended name, in the environment of run and in the file', async () => {
    const { out } = await attestdVerb(['run'], env({ ATTESTD_HTPP_PORT: '1', ATTESTD_HTTP_PORT: String(takenPort) }))
    expect(out).toMatch(/ATTESTD_HTPP_PORT.*Did you mean ATTESTD_HTTP_PORT\?/)
    const file = path.join(folder, 'typo.yaml')
    await fs.writeFile(file, 'service:\n  ulr: https://verify.example\n')
    const { err } = await attestdVerb(['doctor', '--config', file], {})
    expect(err).toContain('Did you mean service.url?')
  })

  it('that run refuses fail in doctor: none at all, and a secret in a settings file that others may read', async () => {
    const { ATTESTD_DATA_DIR, ATTESTD_MODELS_DIR } = env()
    const bare = { ...LIGHT, ATTESTD_DATA_DIR, ATTESTD_MODELS_DIR }
    const { code, out } = await attestdVerb(['doctor'], bare)
    expect(code).toBe(1)
    for (const name of ['SERVICE_URL', 'ACCESS_KEY', 'SIGNING_SECRET'])
      expect(out).toContain(`✗ settings        ATTESTD_${name} is not set`)
    const file = path.join(folder, 'open.yaml')
    await fs.writeFile(file, 'service:\n  accessKey: ak_att_a\n  signingSecret: secret\n', { mode: 0o644 })
    const found = await attestdVerb(['doctor', '--config', file], bare)
    expect(found.out).toContain(`✗ secrets         ${file} can be read by others (mode 0644)`)
    expect(found.out).toContain(`chmod 600 ${file}`)
  })
})

it('a configured ffmpeg that is missing ends run and fails doctor', async () => {
  expect(await run({ ATTESTD_FFMPEG: '/nope' })).toEqual({
    code: 78,
    out: expect.stringMatching(/ATTESTD_FFMPEG names \/nope[\s\S]*unset it/),
  })
})

it('a bind address of another machine and a missing models directory name the setting', async () => {
  const address = await run({ ATTESTD_HTTP_HOST: '203.0.113.7' })
  expect(address).toMatchObject({
    code: 78,
    out: expect.stringMatching(/203\.0\.113\.7[\s\S]*fix .*address of this machine/),
  })
  const models = await attestdVerb(['models', 'list'], env({ ATTESTD_MODELS_DIR: '/no/models' }))
  expect(models).toMatchObject({ code: 78, err: expect.stringMatching(/fix .*ATTESTD_MODELS_DIR/) })
})

it.skipIf(process.platform !== 'linux')(
  'a data directory or a folder of init below /proc is refused at once',
  async () => {
    const refused = { code: 78, out: expect.stringContaining('[data-dir-unusable]') }
    expect(await run({ ATTESTD_DATA_DIR: '/proc/attestd' })).toEqual(refused)
    const init = await attestdVerb(['init', '/proc/attestd/x'], {})
    expect(init).toMatchObject({ code: 78, err: expect.stringContaining('[data-dir-unusable]') })
  },
)

it('a secret file of init that is still empty is reported with its path', async () => {
  const made = path.join(folder, 'made')
  await attestdVerb(['init', made, '--service-url', 'https://verify.example'], {})
  const { code, err } = await attestdRefused(['run', '--config', path.join(made, 'attestd.yaml')], {})
  expect(code).toBe(78)
  for (const name of ['access_key', 'signing_secret']) {
    const file = path.join(made, 'secrets', name)
    expect(err).toContain(`got       ${file} (empty)\n    fix       Write it into ${file}.`)
  }
})

it('init without a URL reports that the one in the file is an example', async () => {
  const { out } = await attestdVerb(['init', path.join(folder, 'plain')], {})
  expect(out).toContain('https://verify.example is an example')
})

describe('a Redis', () => {
  it('that does not answer is named within seconds, with the fix', async () => {
    const { code, err } = await attestdVerb(['queue', 'failed'], env({ ATTESTD_QUEUE_URL: 'redis://127.0.0.1:9' }))
    expect({ code, err }).toEqual({
      code: 75,
      err: expect.stringMatching(/does not answer[\s\S]*fix .*ATTESTD_QUEUE_URL/),
    })
    expect(err).not.toContain('maxRetriesPerRequest')
  })

  it('that is a web server is refused at once, without a stack', async () => {
    const site = await urlAnswering(() => {})
    const url = site.replace('http:', 'redis:')
    const { code, err } = await attestdVerb(['queue', 'failed'], env({ ATTESTD_QUEUE_URL: url }))
    expect({ code, err }).toEqual({
      code: 78,
      err: expect.stringMatching(/answers, but not as Redis[\s\S]*ATTESTD_QUEUE_URL/),
    })
    expect(err).not.toMatch(/^\s+at |report this/m)
  })
})

it('a closed pipe ends a verb without a stack', () => {
  const verb = `"${process.execPath}" "${packagePath('dist', 'cli', 'main.js')}" run --help`
  const err = path.join(folder, 'err')
  // The reader is gone before the verb writes.
  execFileSync('sh', ['-c', `${verb} 2>"${err}" | true; cat "${err}"`], { env: env() })
  expect(readFileSync(err, 'utf8')).toBe('')
})

it('a wrong password of the keystore ends run before a detector loads, and names the password file', async () => {
  const keystore = path.join(folder, 'keystore.json')
  const made = await attestdVerb(['wallet', 'create', keystore], { ATTESTD_WALLET_PASSWORD: 'correct horse battery' })
  expect(made.code).toBe(0)
  const { code, out } = await run({
    ATTESTD_SERVICE_API: 'wallet-session',
    ATTESTD_WALLET: 'keystore',
    ATTESTD_WALLET_KEYSTORE: keystore,
    ATTESTD_WALLET_PASSWORD: 'wrong horse battery',
    ATTESTD_STAKE_CONTRACT: `0x${'11'.repeat(20)}`,
  })
  expect({ code, out }).toEqual({
    code: 78,
    out: expect.stringMatching(/does not open the keystore[\s\S]*ATTESTD_WALLET_PASSWORD_FILE/),
  })
  expect(out).not.toContain('loading detector')
})

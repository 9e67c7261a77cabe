import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadSettings, SettingsError } from '../../src/config/load.js'
import { settingRows } from '../../src/config/settings.js'
import { shownSettings } from '../../src/config/show.js'
import { packagePath } from '../../src/core/files.js'
import { problemsOf, settingsFiles } from './settings-files.js'

/** `npm run check:docs` holds the pages to what the tables make of them. */
const page = (name: string) => fs.readFileSync(packagePath('config', name), 'utf8')

const { folder, file } = settingsFiles()

/** What a person reads of settings that are refused. */
function messageOf(env: Record<string, string>, yaml?: string): string {
  const problems = problemsOf({ env, file: yaml })
  expect(problems).not.toEqual([])
  return new SettingsError(problems).message
}

it('an address in the file needs no quotes, although YAML would read a number', () => {
  const address = `0x${'52'.repeat(20)}`
  const yaml = file('address.yaml', `chain:\n  stakeContract: ${address}\n  id: 8453\n`)
  expect(loadSettings({ env: {}, file: yaml }).settings).toMatchObject({ stakeContract: address, chainId: 8453 })
})

it.each(['012345678901234567890', '1.50', '1e5', '0x1F'])(
  'a password of digits in the file, %s, is kept as written',
  (password) => {
    const yaml = file('digits.yaml', `wallet:\n  password: ${password}\nqueue:\n  lockMs: 5000\n`)
    expect(loadSettings({ env: {}, file: yaml }).settings).toMatchObject({
      walletPassword: password,
      queueLockMs: 5000,
    })
  },
)

it('a secret file may begin with a byte order mark and end with CRLF; the secret is trimmed at its end only', () => {
  const password = file('bom', '\uFEFF correct horse \r\n')
  const { settings, secrets } = loadSettings({ env: { ATTESTD_WALLET_PASSWORD_FILE: password } })
  expect(settings.walletPassword).toBe(' correct horse')
  expect(secrets).toEqual([' correct horse'])
})

it('a flag wins over the environment, the environment over the file, the file over the default', () => {
  const yaml = file('order.yaml', 'queue:\n  prefix: from-file\n  lockMs: 5000\nhttp:\n  port: 1\n')
  const { settings, origins } = loadSettings({
    file: yaml,
    env: { ATTESTD_QUEUE_PREFIX: 'from-env', ATTESTD_HTTP_PORT: '2' },
    flags: { httpPort: '3' },
  })
  expect(settings).toMatchObject({ queuePrefix: 'from-env', queueLockMs: 5000, httpPort: 3, queueUrl: 'embedded:' })
  expect(origins).toMatchObject({ httpPort: '--http-port', queuePrefix: 'ATTESTD_QUEUE_PREFIX', queueUrl: 'default' })
})

it('a list, of which each role counts once, is one text or a list of the file', () => {
  const env = { ATTESTD_ROLES: 'submit, intake, submit', ATTESTD_QUEUE_URL: 'redis://h:1' }
  expect(loadSettings({ env }).settings.roles).toEqual(['submit', 'intake'])
  const yaml = file('list.yaml', 'run:\n  roles: [analyze, submit]\nqueue:\n  fsync: true\n  url: redis://h:1\n')
  expect(loadSettings({ env: {}, file: yaml }).settings).toMatchObject({
    roles: ['analyze', 'submit'],
    queueFsync: true,
  })
})

it('detectors have a weight or are shadows, as text and as a list, and are shown as text', () => {
  const expected = [{ id: 'a' }, { id: 'b', weight: 2.5, shadow: false }, { id: 'c', shadow: true }]
  const loaded = loadSettings({ env: { ATTESTD_DETECTORS: 'a, b=2.5,c=shadow' } })
  expect(loaded.settings.detectors).toEqual(expected)
  expect(shownSettings(loaded).find(({ name }) => name === 'ATTESTD_DETECTORS')?.value).toBe('a,b=2.5,c=shadow')
  const yaml = file(
    'detectors.yaml',
    'detect:\n  detectors:\n    - a\n    - { id: b, weight: 2.5 }\n    - { id: c, shadow: true }\n',
  )
  expect(loadSettings({ env: {}, file: yaml }).settings.detectors).toEqual(expected)
})

describe('a setting that is refused', () => {
  const rows: [string, string][] = [
    ['ATTESTD_QUEUE_URL', 'postgres://x'],
    ['ATTESTD_ROLES', 'intake,cook'],
    ['ATTESTD_ROLES', ','],
    ['ATTESTD_IPFS_GATEWAYS', ','],
    ['ATTESTD_SERVICE_URL', 'https://service.example/api'],
    ['ATTESTD_HTTP_PASSWORD', 'short'],
    ['ATTESTD_ACCESS_KEY', "'ak_att_in-quotes'"],
    ['ATTESTD_SIGNING_SECRET', '"in quotes"'],
    ['ATTESTD_SIGNING_SECRET', 'of two\nlines'],
    ['ATTESTD_SIGNING_SECRET', Buffer.from('in UTF-16', 'utf16le').toString()],
    ['ATTESTD_WEBHOOK_URL', 'hooks'],
    ['ATTESTD_WEBHOOK_URL', 'http://hooks.example'],
    ['ATTESTD_IPFS_GATEWAYS', 'ftp://gateway.example'],
    ['ATTESTD_DATA_DIR', '$HOME/attestd'],
    ['ATTESTD_DATA_DIR', '/srv/$USER/attestd'],
    ['ATTESTD_DATA_DIR', '~ada/attestd'],
    ['ATTESTD_DATA_DIR', '"/srv/attestd"'],
    ['ATTESTD_DATA_DIR', ' /srv/attestd'],
    ['ATTESTD_MODELS_DIR', '/srv/models '],
  ]
  it.each(rows)('%s=%s is named with what was expected and the fix', (name, value) => {
    const problems = problemsOf({ env: { [name]: value } })
    expect(problems).toMatchObject([{ reason: 'setting-invalid', setting: name }])
    expect(problems[0]!.expected).not.toBe('')
    expect(problems[0]!.fix).toContain(name)
  })

  it('shows no secret in its message', () => {
    expect(messageOf({ ATTESTD_ACCESS_KEY: 'has space', ATTESTD_HTTP_PASSWORD: 'hush' })).not.toMatch(/has space|hush/)
  })

  it('shows no credentials of a URL, and no line of a YAML file', () => {
    const env = { ATTESTD_SERVICE_URL: 'https://me:hunter2@x/p', ATTESTD_IPFS_GATEWAYS: 'ftp://me:hunter3@gw' }
    expect(messageOf(env)).not.toMatch(/hunter/)
    for (const line of ['signingSecret: *S3cret', 'signingSecret: !S3cret [', 'signingSecret: "S3cret']) {
      const broken = file('secret.yaml', `service:\n  ${line}\n`)
      expect(messageOf({}, broken)).not.toContain('S3cret')
    }
  })

  it.each([
    'base.example/v2/s3cretKey0123456',
    'https//base.example/v2/s3cretKey0123456',
    'wss://base.example/v2/s3cretKey0123456',
    'https://base.example/v2/0123,s3cretKey456',
  ])('shows no key of a mistyped RPC endpoint: %s', (url) => {
    expect(messageOf({ ATTESTD_RPC_URLS: url })).not.toContain('s3cretKey')
  })

  it('shows no key that was given in place of its file path', () => {
    const key = `0x${'5e'.repeat(32)}`
    expect(messageOf({ ATTESTD_WALLET_KEY_FILE: key })).not.toContain(key)
    expect(messageOf({ ATTESTD_WALLET_KEY_FILE: '/run/secrets/none' })).toContain('/run/secrets/none')
  })

  it('a missing settings file is refused', () => {
    const problems = problemsOf({ env: { ATTESTD_CONFIG: path.join(folder, 'none.yaml') } })
    expect(problems).toMatchObject([{ reason: 'setting-invalid' }])
  })
})

it('an unknown name in the environment is reported, not refused', () => {
  const { unknownEnv } = loadSettings({ env: { ATTESTD_SIGNING_SECRETS: 'x', ATTESTD_CHAIN: '1', PATH: '/' } })
  expect(unknownEnv).toEqual(['ATTESTD_SIGNING_SECRETS', 'ATTESTD_CHAIN'])
})

it.each([
  'redis://:hush-hush@h:1',
  'redis://:hush@hush-hush@h:1',
  'redis://me:hush,hush@h:1/0',
  'rediss://hush:@h',
  'redis+sentinel://me:hush@h:1,i:2/main',
])('no part of the credentials in %s is shown', (url) => {
  const loaded = loadSettings({
    env: { ATTESTD_QUEUE_URL: url, ATTESTD_IPFS_GATEWAYS: 'https://a,https://me:hush@b/ipfs' },
  })
  expect(JSON.stringify(shownSettings(loaded))).not.toContain('hush')
  expect(loaded.secrets.join()).toContain('hush')
})

it('shown settings mask every secret', () => {
  const env = {
    ATTESTD_ACCESS_KEY: 'top-secret',
    ATTESTD_QUEUE_PASSWORD: 'top-secret',
    ATTESTD_RPC_URLS: 'https://a.example/v2/top-secret,https://b.example/?k=top-secret,https://c.example/#top-secret',
  }
  expect(JSON.stringify(shownSettings(loadSettings({ env })))).not.toContain('top-secret')
})

describe('the generated pages', () => {
  it('name every setting', () => {
    for (const [, row] of settingRows) expect(page('SETTINGS.md')).toContain(`ATTESTD_${row.env}\``)
  })

  it('have an example file that is accepted as it is, and with every line enabled', () => {
    const lines = page('attestd.example.yaml').replaceAll(/^ {2}# (\w+: )/gm, '  $1')
    const secret = file('example-secret', 'ak_att_12345678')
    const key = file('example-key', `0x${'1'.repeat(64)}`)
    const long = file('example-fleet', 'f'.repeat(32))
    const webhook = file('example-webhook', 'https://hooks.example/key')
    const files = { wallet_key: key, fleet_secret: long, webhook_secret: long, webhook_url: webhook }
    const enabled = lines.replaceAll(
      /\/run\/secrets\/(\w+)/g,
      (_, name: string) => files[name as keyof typeof files] ?? secret,
    )
    expect(
      loadSettings({ env: {}, file: file('example.yaml', page('attestd.example.yaml')) }).settings.serviceUrl,
    ).toBe('https://verify.example')
    expect(loadSettings({ env: {}, file: file('enabled.yaml', enabled) }).settings.accessKey).toBe('ak_att_12345678')
  })

  it('have unique names, paths and flags', () => {
    for (const part of ['env', 'path'] as const) {
      expect(new Set(settingRows.map(([, row]) => row[part])).size).toBe(settingRows.length)
    }
  })
})

it('a path may begin with the home of the user, also that of a secret', ({ onTestFinished }) => {
  const { HOME } = process.env
  onTestFinished(() => {
    if (HOME === undefined) delete process.env.HOME
    else process.env.HOME = HOME
  })
  process.env.HOME = folder
  file('at-home', 'a-secret')
  const yaml = file('home.yaml', 'run:\n  dataDir: "~"\nservice:\n  accessKeyFile: ~/at-home\n')
  const env = { ATTESTD_SIGNING_SECRET_FILE: '~/at-home', ATTESTD_MODELS_DIR: '~/models' }
  expect(loadSettings({ env, file: yaml }).settings).toMatchObject({
    dataDir: folder,
    modelsDir: path.join(folder, 'models'),
    accessKey: 'a-secret',
    signingSecret: 'a-secret',
  })
  process.env.HOME = ''
  const { dataDir } = loadSettings({ env: {} }).settings
  expect(dataDir).toBe(path.join(os.userInfo().homedir, '.local/share/attestd'))
})

describe('the settings file', () => {
  it('names secret files relative to itself, wherever the verb was started', () => {
    file('beside', 'a-secret\n', 0o640)
    const yaml = file('relative.yaml', 'service:\n  signingSecretFile: ./beside\n')
    const { openSecretFiles, settings } = loadSettings({ env: {}, file: yaml })
    expect(settings.signingSecret).toBe('a-secret')
    expect(openSecretFiles).toEqual([{ file: path.join(folder, 'beside'), mode: '0640' }])
  })

  it('is the default one if it exists and no other is named', () => {
    const usualFile = file('usual.yaml', 'http:\n  port: 1\n')
    const other = file('other.yaml', 'http:\n  port: 2\n')
    expect(loadSettings({ env: {}, usualFile }).settings.httpPort).toBe(1)
    expect(loadSettings({ env: { ATTESTD_CONFIG: other }, usualFile }).settings.httpPort).toBe(2)
    expect(loadSettings({ env: { ATTESTD_CONFIG: '' }, usualFile }).settings.httpPort).toBe(1)
    expect(loadSettings({ env: {}, usualFile: path.join(folder, 'none.yaml') }).settings.httpPort).toBe(8780)
  })
})

it('the settings page lists no flag for a secret', () => {
  expect(page('SETTINGS.md')).not.toMatch(/--signing-secret|--access-key|--session-token/)
  expect(page('SETTINGS.md')).toContain('`--http-port`')
})

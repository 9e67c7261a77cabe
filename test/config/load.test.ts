import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadSettings, SettingsError } from '../../src/config/load.js'
import { conflictsIn, SETTINGS, settingRows } from '../../src/config/settings.js'
import { shownSettings } from '../../src/config/show.js'
import { problemsOf, settingsFiles } from './settings-files.js'

const { folder, file } = settingsFiles()

function pipe(name: string): string {
  execFileSync('/usr/bin/mkfifo', [path.join(folder, name)])
  return path.join(folder, name)
}

const KEY = `0x${'5e'.repeat(32)}`

describe('the source of a secret', () => {
  it('is its own variable or that of a file, not both; an empty one counts as none', () => {
    const secret = file('secret', 'from the file')
    const env = (own: string) => ({ ATTESTD_SIGNING_SECRET: own, ATTESTD_SIGNING_SECRET_FILE: secret })
    expect(problemsOf({ env: env('from the variable') })).toMatchObject([
      { setting: 'ATTESTD_SIGNING_SECRET', got: 'both', fix: expect.stringContaining('ATTESTD_SIGNING_SECRET_FILE') },
    ])
    expect(loadSettings({ env: env('') }).settings.signingSecret).toBe('from the file')
  })

  it('is the environment before the settings file, which contains the value or the path of a file', () => {
    const [one, two] = [file('one', 'secret one'), file('two', 'secret two')]
    const both = file('both.yaml', `service:\n  signingSecret: written\n  signingSecretFile: ${one}\n`)
    expect(problemsOf({ env: {}, file: both })).toMatchObject([{ setting: 'service.signingSecret', got: 'both' }])
    const yaml = file('written.yaml', 'service:\n  signingSecret: written\n')
    const fileOnly = file('file-only.yaml', `service:\n  signingSecretFile: ${one}\n`)
    expect(loadSettings({ env: {}, file: yaml }).settings.signingSecret).toBe('written')
    expect(loadSettings({ env: {}, file: fileOnly })).toMatchObject({
      settings: { signingSecret: 'secret one' },
      origins: { signingSecret: 'service.signingSecretFile' },
    })
    expect(loadSettings({ env: { ATTESTD_SIGNING_SECRET_FILE: two }, file: yaml })).toMatchObject({
      settings: { signingSecret: 'secret two' },
      origins: { signingSecret: 'ATTESTD_SIGNING_SECRET_FILE' },
    })
  })

  it('may end with a line end, which is removed', () => {
    const { secrets, settings } = loadSettings({
      env: { ATTESTD_SIGNING_SECRET: 'one \r\n', ATTESTD_LOG_LEVEL: 'info' },
    })
    expect([settings.signingSecret, secrets]).toEqual(['one ', ['one ']])
    expect(problemsOf({ env: { ATTESTD_SIGNING_SECRET: '\n' } })).toMatchObject([{ setting: 'ATTESTD_SIGNING_SECRET' }])
  })

  it('exists for secrets only', () => {
    const port = file('port', '1234')
    const { settings, unknownEnv } = loadSettings({ env: { ATTESTD_HTTP_PORT_FILE: port } })
    expect(settings.httpPort).toBe(8780)
    expect(unknownEnv).toEqual(['ATTESTD_HTTP_PORT_FILE'])
    const yaml = file('port.yaml', `http:\n  portFile: ${port}\n`)
    expect(problemsOf({ env: {}, file: yaml })).toMatchObject([{ reason: 'setting-unknown', got: 'http.portFile' }])
  })

  it('does not mask a default', () => {
    expect(loadSettings({ env: {} }).secrets).toEqual([])
    expect(loadSettings({ env: { ATTESTD_ACCESS_KEY: 'ak_att_1' } }).secrets).toEqual(['ak_att_1'])
  })
})

describe('a file that holds a secret', () => {
  it.each([
    [0o600, []],
    [0o400, []],
    [0o640, ['0640']],
    [0o644, ['0644']],
  ])('with mode %o is accepted, and reported as open: %j', (mode, open) => {
    const secret = file(`mode-${mode}`, 'a-secret', mode)
    const { openSecretFiles } = loadSettings({ env: { ATTESTD_SIGNING_SECRET_FILE: secret } })
    expect(openSecretFiles).toEqual(open.map((each) => ({ file: secret, mode: each })))
  })

  it.each([
    ['ATTESTD_WALLET_KEY', KEY],
    ['ATTESTD_WALLET_PASSWORD', 'correct horse'],
    ['ATTESTD_PRIVY_AUTHORIZATION_KEY', 'wallet-auth:abc'],
  ])('of %s is refused where others may read it', (name, content) => {
    const secret = file(name, content, 0o640)
    const [problem] = problemsOf({ env: { [`${name}_FILE`]: secret } })
    expect(problem).toMatchObject({ setting: `${name}_FILE`, fix: `Run chmod 600 ${secret}.` })
    expect(problem?.got).toContain('mode 0640')
    fs.chmodSync(secret, 0o600)
    expect(problemsOf({ env: { [`${name}_FILE`]: secret } })).toEqual([])
  })

  it.each([
    ['absent', () => path.join(folder, 'absent'), 'ENOENT'],
    ['a folder', () => folder, 'EISDIR'],
    ['a device', () => '/dev/zero', 'more than 1048576 bytes'],
    ['a pipe of nobody', () => pipe('pipe'), 'a pipe into which nobody wrote within 2 s'],
  ])('that is %s is refused with its path', (_, where, code) => {
    const named = where()
    const [problem] = problemsOf({ env: { ATTESTD_SIGNING_SECRET_FILE: named } })
    expect(problem).toMatchObject({ reason: 'setting-invalid', got: `${named} (${code})` })
  })

  it('with refused content is named, and its content is not', () => {
    const bad = file('bad-key', '0x1234secret')
    const [problem] = problemsOf({ env: { ATTESTD_WALLET_KEY_FILE: bad } })
    expect(problem?.fix).toContain('ATTESTD_WALLET_KEY_FILE')
    expect(JSON.stringify(problem)).not.toContain('1234secret')
    expect(problem?.got).toBe('a value of 12 characters (hidden)')
  })
})

describe('the settings that a verb requires', () => {
  const need = () => ['serviceUrl', 'signingSecret'] as const

  it('are requested by every name that a person could use', () => {
    const problems = problemsOf({ env: {}, need })
    expect(problems.map(({ setting, fix }) => [setting, fix])).toEqual([
      [
        'ATTESTD_SERVICE_URL',
        'Name your settings file with --config (attestd init writes one), or set ATTESTD_SERVICE_URL.',
      ],
      [
        'ATTESTD_SIGNING_SECRET',
        'Name your settings file with --config (attestd init writes one), or set ATTESTD_SIGNING_SECRET (or ATTESTD_SIGNING_SECRET_FILE with the path of a file).',
      ],
    ])
    const read = file('attestd.yaml', 'service: {}')
    expect(problemsOf({ env: {}, file: read, need })[0]?.fix).toBe(
      `Set ATTESTD_SERVICE_URL, or service.url in ${read}.`,
    )
  })

  it('are not requested where one was given and is wrong: that is reported once', () => {
    const env = { ATTESTD_SERVICE_URL: 'nonsense', ATTESTD_SIGNING_SECRET_FILE: path.join(folder, 'absent') }
    expect(problemsOf({ env, need }).map(({ reason, setting }) => [reason, setting])).toEqual([
      ['setting-invalid', 'ATTESTD_SERVICE_URL'],
      ['setting-invalid', 'ATTESTD_SIGNING_SECRET_FILE'],
    ])
  })

  it('may depend on others, of which only accepted ones count', () => {
    const asked: unknown[] = []
    const env = { ATTESTD_HTTP_PORT: 'x', ATTESTD_WALLET: 'privy' }
    problemsOf({
      env,
      need: (accepted) => {
        asked.push(accepted.wallet, accepted.httpPort)
        return []
      },
    })
    expect(asked).toEqual(['privy', undefined])
  })
})

describe('the settings file', () => {
  it.each([
    ['is empty', ''],
    ['has comments alone', '# nothing\n'],
    ['has an empty section', 'http:\n'],
    ['has a name without a value', 'http:\n  port:\n'],
  ])('that %s keeps the defaults', (name, text) => {
    expect(loadSettings({ env: {}, file: file(`${name}.yaml`, text) }).settings.httpPort).toBe(8780)
  })

  it.each([
    ['is a list', '- a\n', 'the file'],
    ['has a value where a section belongs', 'http: 8780\n', 'http'],
    ['has a list of lists', 'run:\n  roles: [[intake]]\n', 'run.roles'],
    ['is a text', 'hello', 'expected sections, such as service:'],
    ['is in UTF-16', Buffer.from('service:\n  url: https://x\n', 'utf16le').toString(), 'in UTF-8'],
    ['has a value without a section', 'serviceUrl: https://x\n', 'serviceUrl: expected a section'],
    ['has a section in a value', 'service:\n  url: {a: 1}\n', 'service.url: expected a text, a number'],
    ['merges an anchor', 'service: &a\n  url: https://x\nhttp:\n  <<: *a\n', 'http.<<: expected a text'],
    ['ends within a list', 'service: [', 'not valid YAML'],
    ['gives a setting twice', 'http:\n  port: 1\n  port: 2\n', 'line 3 that is not valid YAML (duplicate key)'],
    ['has a tab', 'http:\n\tport: 1\n', 'line 2 that is not valid YAML (tab as indent)'],
    ['names the same section twice', 'http:\n  port: 1\nhttp:\n  port: 2\n', 'line 3'],
    ['uses an anchor that is not there', 'http:\n  port: *p\n', 'not valid YAML'],
  ])('that %s is refused with the line', (name, text, place) => {
    const where = file(`${name}.yaml`, text)
    const problems = problemsOf({ env: {}, file: where })
    expect(problems).toMatchObject([{ reason: 'setting-invalid', setting: where }])
    expect(problems[0]?.got).toContain(place)
  })

  it('with an unknown name lists those of its section', () => {
    const [problem] = problemsOf({ env: {}, file: file('near.yaml', 'http:\n  prot: 1\n') })
    expect(problem?.expected).toContain('http.port')
    expect(problem?.expected).not.toContain('service.')
    const [section] = problemsOf({ env: {}, file: file('far.yaml', 'htpt:\n  port: 1\n') })
    expect(section).toMatchObject({ reason: 'setting-unknown', expected: 'a known section' })
  })

  it('with a problem does not hide other problems', () => {
    const problems = problemsOf({ env: { ATTESTD_HTTP_PORT: 'x' }, file: file('own.yaml', 'http:\n  prot: 1\n') })
    expect(problems.map(({ reason }) => reason)).toEqual(['setting-unknown', 'setting-invalid'])
  })

  it('is named where it was read, and not where it is missing', () => {
    const where = file('named.yaml', 'http:\n  port: 5\n')
    expect(loadSettings({ env: {}, file: where })).toMatchObject({
      file: where,
      origins: { httpPort: `${where} (http.port)` },
    })
    expect(loadSettings({ env: {} }).file).toBeNull()
  })

  it('given as a flag overrides that of the environment', () => {
    const [one, two] = [file('f1.yaml', 'http:\n  port: 1\n'), file('f2.yaml', 'http:\n  port: 2\n')]
    expect(loadSettings({ env: { ATTESTD_CONFIG: one }, file: two }).settings.httpPort).toBe(2)
  })
})

describe('settings that contradict each other', () => {
  it.each([
    ['all roles on the embedded queue', { queueUrl: 'embedded:', roles: ['intake', 'analyze', 'submit'] }, []],
    ['some roles on the embedded queue', { queueUrl: 'embedded:', roles: ['intake', 'analyze'] }, ['roles']],
    ['some roles on Redis', { queueUrl: 'redis://h', roles: ['intake'] }, []],
    ['a TLS file without TLS', { queueUrl: 'redis://h', queueTlsKey: '/k' }, ['queueTlsKey']],
    ['a TLS file on the embedded queue', { queueUrl: 'embedded:', queueTlsCa: '/k' }, ['queueTlsCa']],
    ['a TLS file with TLS', { queueUrl: 'rediss://h', queueTlsKey: '/k' }, []],
    ['a TLS file with a queue URL that was refused', { queueTlsKey: '/k' }, []],
    ['plain http elsewhere', { serviceUrl: 'http://a.example' }, ['serviceUrl']],
    ['plain http elsewhere, allowed', { serviceUrl: 'http://a.example', serviceAllowHttp: true }, []],
    ['plain http on this machine', { serviceUrl: 'http://127.0.0.1:1' }, []],
    ['https', { serviceUrl: 'https://a.example' }, []],
  ])('%s', (_, settings, keys) => {
    expect(conflictsIn(settings as Parameters<typeof conflictsIn>[0]).map(({ key }) => key)).toEqual(keys)
  })

  it('are all reported, with the given value', () => {
    const env = { ATTESTD_ROLES: 'intake', ATTESTD_QUEUE_TLS_CA: '/ca', ATTESTD_SERVICE_URL: 'http://a.example' }
    const problems = problemsOf({ env })
    expect(problems.map(({ setting, got }) => [setting, got])).toEqual([
      ['ATTESTD_ROLES', '"intake"'],
      ['ATTESTD_QUEUE_TLS_CA', '"/ca"'],
      ['ATTESTD_SERVICE_URL', '"http://a.example"'],
    ])
  })
})

describe('the message to a person', () => {
  it('states for each problem what was expected, what was given, and what to do', () => {
    const error = new SettingsError(problemsOf({ env: { ATTESTD_HTTP_PORT: '70000' } }))
    expect(error.message.split('\n')).toEqual([
      'attestd cannot start with these settings:',
      '',
      '  ATTESTD_HTTP_PORT  [setting-invalid]',
      '    expected  0 to 65535; 0 takes any free port (at most 65535)',
      '    got       "70000"',
      '    fix       Correct ATTESTD_HTTP_PORT.',
      '',
    ])
  })

  it.each([
    ['a word that is none of a few', 'ATTESTD_ON_DOPPELGANGER', 'TRUE', 'warn or stop'],
    ['a name of a brand', 'ATTESTD_HEADER_PREFIX', '-', 'letters, digits and dashes'],
    ['a uid', 'ATTESTD_EAS_SCHEMA_UID', '0x', '0x and 64 hex characters; empty to compute it (no resolver, revocable)'],
    [
      'a size',
      'ATTESTD_LEDGER_BYTES',
      '1.5GiB',
      'a size such as 1GiB (a whole number, with kB, MB, GB, KiB, MiB, GiB or no unit)',
    ],
  ])('states what was expected of %s once, in our words', (_, name, value, expected) => {
    expect(problemsOf({ env: { [name]: value } })).toMatchObject([{ expected }])
  })

  it('names the flag that set the value', () => {
    const [problem] = problemsOf({ env: {}, flags: { httpPort: '-1' } })
    expect(problem?.fix).toBe('Correct --http-port.')
  })
})

it.each(settingRows.filter(([, { fallback }]) => fallback !== undefined).map(([key]) => key))(
  'every default of %s is a value that the setting takes',
  (key) => {
    const { fallback, parse } = SETTINGS[key] as (typeof settingRows)[number][1]
    expect(parse.safeParse(fallback).success).toBe(true)
  },
)

describe('the settings as shown', () => {
  const shown = (env: Record<string, string>, name: string) =>
    shownSettings(loadSettings({ env })).find((each) => each.name === name)

  it.each([
    ['a list', { ATTESTD_QUEUE_URL: 'redis://h', ATTESTD_ROLES: 'submit,intake' }, 'ATTESTD_ROLES', 'submit,intake'],
    ['a number', { ATTESTD_HTTP_PORT: '007' }, 'ATTESTD_HTTP_PORT', '7'],
    ['a secret', { ATTESTD_SIGNING_SECRET: 'x' }, 'ATTESTD_SIGNING_SECRET', '••••••'],
    ['a folder', { ATTESTD_DATA_DIR: '/a/../b' }, 'ATTESTD_DATA_DIR', '/b'],
  ])('%s', (_, env, name, value) => {
    expect(shown(env as Record<string, string>, name)).toEqual({ name, value, origin: name })
  })

  it('leave out those that nobody set', () => {
    expect(shown({}, 'ATTESTD_SIGNING_SECRET')).toBeUndefined()
    expect(shown({}, 'ATTESTD_HTTP_PORT')).toMatchObject({ origin: 'default' })
  })
})

import { describe, expect, it } from 'vitest'
import { durationFlag } from '../../../src/cli/flags/duration.js'
import { neededForKeys, neededToRegister, neededToRun } from '../../../src/cli/flags/needed-settings.js'
import { settingsOf, verbWithSettings } from '../../../src/cli/flags/settings-flags.js'
import { columnsFlag, dataOptions, numberFlag, priorFlag } from '../../../src/cli/models/lab-flags.js'
import { flagName } from '../../../src/config/setting.js'
import { type Settings, settingRows } from '../../../src/config/settings.js'

const invalid = expect.objectContaining({ reason: 'setting-invalid' })

describe('a time of a flag', () => {
  it.each([
    ['1s', 1000],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['2d', 172_800_000],
    ['366d', 31_622_400_000],
  ])('%s is %i ms', (text, ms) => {
    expect(durationFlag('--for', text)).toBe(ms)
  })

  it.each(['0s', '367d', '90', 's', '1.5h', '-1s', '1 h', '1H', '1w', '', '1000000000s'])('%j is none', (text) => {
    expect(() => durationFlag('--for', text)).toThrow(invalid)
    expect(() => durationFlag('--for', text)).toThrow(
      `--for takes a time such as 90s, 30m or 12h, got ${JSON.stringify(text)}`,
    )
  })
})

describe('a number of a flag', () => {
  it.each([
    [undefined, null],
    ['0.5', 0.5],
    ['0', 0],
    ['1', 1],
    ['1e-1', 0.1],
  ])('%j is %j', (text, value) => {
    expect(numberFlag('--x', text, 0, 1)).toBe(value)
  })

  it.each(['', ' ', '-0.1', '1.1', 'half', '0,5', 'NaN', 'Infinity'])('%j is refused with its bounds', (text) => {
    expect(() => numberFlag('--x', text, 0, 1)).toThrow(`--x takes a number from 0 to 1, got ${JSON.stringify(text)}`)
  })

  it.each(['0', '1', '0.0009', '0.9991'])('a prior of %s leaves one class out, and is refused', (text) => {
    expect(() => priorFlag(text)).toThrow(invalid)
  })

  it('a prior may be close to either end', () => {
    expect([priorFlag('0.001'), priorFlag('0.999'), priorFlag(undefined)]).toEqual([0.001, 0.999, null])
  })
})

describe('the flags of labeled data', () => {
  it.each([
    ['source', ['source']],
    [' source , generator,', ['source', 'generator']],
    ['', []],
  ])('columns %j are %j', (text, columns) => {
    expect(columnsFlag(text)).toEqual(columns)
  })

  it('a limit is a whole number from 1, or none', () => {
    expect(dataOptions({}).limit).toBeNull()
    expect(dataOptions({ limit: '7', root: '/media' })).toMatchObject({ limit: 7, root: '/media' })
    for (const bad of ['0', '-1', '1.5', 'all', '']) expect(() => dataOptions({ limit: bad })).toThrow(invalid)
  })

  it('what was typed is kept so that a shell takes it again', () => {
    const before = process.argv
    process.argv = ['node', 'main.js', 'models', 'eval', '--data', "it's mine.csv", '--by=a,b', '$(rm)']
    try {
      expect(dataOptions({}).command).toBe(`attestd models eval --data 'it'\\''s mine.csv' --by=a,b '$(rm)'`)
    } finally {
      process.argv = before
    }
  })
})

describe('the settings without which a verb cannot work', () => {
  const of = (change: Partial<Settings>) =>
    ({ wallet: 'local', serviceApi: 'signed-key', ...change }) as Partial<Settings>
  const session = { serviceApi: 'wallet-session' } as const

  it.each<[string, Partial<Settings>, string[]]>([
    ['that analyzes alone needs none', of({ roles: ['analyze'] }), []],
    [
      'with any other role needs a key',
      of({ roles: ['analyze', 'submit'] }),
      ['serviceUrl', 'accessKey', 'signingSecret'],
    ],
    ['with a local wallet', of({ ...session, roles: ['intake'] }), ['serviceUrl', 'walletKey', 'stakeContract']],
    ['with a keystore', of({ ...session, wallet: 'keystore' }), ['serviceUrl', 'walletKeystore', 'stakeContract']],
    [
      'with a wallet at Privy',
      of({ ...session, wallet: 'privy' }),
      ['serviceUrl', 'walletAddress', 'privyAppId', 'privyAppSecret', 'privyWalletId', 'stakeContract'],
    ],
    ['with a kind of wallet that was refused', { ...session }, ['serviceUrl', 'stakeContract']],
  ])('run %s', (_, settings, needed) => {
    expect(neededToRun(settings)).toEqual(needed)
  })

  it('register needs no stake contract; keys need a session, of a token or a wallet', () => {
    expect(neededToRegister(of({}))).toEqual(['serviceUrl', 'accessKey', 'signingSecret'])
    expect(neededToRegister(of(session))).toEqual(['serviceUrl', 'walletKey'])
    expect(neededForKeys(of({}))).toEqual(['serviceUrl', 'sessionToken'])
    expect(neededForKeys(of(session))).toEqual(['serviceUrl', 'walletKey'])
  })
})

describe('the flags of settings', () => {
  const parse = (...argv: string[]) => {
    const verb = verbWithSettings('x', 'y').exitOverride()
    verb.configureOutput({ writeErr: () => {} })
    verb.parse(argv, { from: 'user' })
    return settingsOf(verb)
  }

  it('are one for each setting that is no secret, by its own name', () => {
    const flags = verbWithSettings('x', 'y').options.flatMap(({ long }) => (long === '--config' ? [] : [long]))
    const rows = settingRows.filter(([, row]) => row.secret !== 'whole')
    expect(flags).toEqual(rows.map(([, row]) => flagName(row)))
  })

  it.each([
    ['--http-port', '1234', 'httpPort', 1234],
    ['--data-dir', '/a', 'dataDir', '/a'],
    ['--block-max-age-ms', '5000', 'blockMaxAgeMs', 5000],
    ['--media-max-bytes', '1MiB', 'mediaMaxBytes', 1_048_576],
  ] as const)('%s %s arrives at its setting', (flag, text, key, value) => {
    const { origins, settings } = parse(flag, text)
    expect(settings[key]).toBe(value)
    expect(origins[key]).toBe(flag)
  })

  it('every flag arrives at a setting', () => {
    for (const [key, row] of settingRows) {
      if (row.secret === 'whole' || row.fallback === undefined) continue
      const { origins } = parse(flagName(row), row.fallback)
      expect([key, origins[key]]).toEqual([key, flagName(row)])
    }
  })

  it('a secret as a flag is not known', () => {
    expect(() => parse('--signing-secret', 'x')).toThrow(/unknown option/)
  })

  it('named ones alone are offered, without secrets among them', () => {
    const verb = verbWithSettings('x', 'y', ['dataDir', 'signingSecret', 'httpPort'])
    expect(verb.options.map(({ long }) => long)).toEqual(['--config', '--data-dir', '--http-port'])
  })
})

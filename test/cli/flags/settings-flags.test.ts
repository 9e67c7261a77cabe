import { describe, expect, it } from 'vitest'
import { settingsOf, verbWithSettings } from '../../../src/cli/flags/settings-flags.js'
import { flagName } from '../../../src/config/setting.js'
import { settingRows } from '../../../src/config/settings.js'

describe('the flags of settings', () => {
  const parse = (...argv: string[]) => {
    const verb = verbWithSettings('x', 'y').exitOverride()
    verb.configureOutput({ writeErr: () => {} })
    verb.parse(argv, { from: 'user' })
    return settingsOf(verb)
  }

  it('are one for each setting that is no secret, with its own name', () => {
    const flags = verbWithSettings('x', 'y').options.flatMap(({ long }) => (long === '--config' ? [] : [long]))
    const rows = settingRows.filter(([, row]) => row.secret !== 'whole')
    expect(flags).toEqual(rows.map(([, row]) => flagName(row)))
  })

  it.each([
    ['--http-port', '1234', 'httpPort', 1234],
    ['--data-dir', '/a', 'dataDir', '/a'],
    ['--block-max-age-ms', '5000', 'blockMaxAgeMs', 5000],
    ['--media-max-bytes', '1MiB', 'mediaMaxBytes', 1_048_576],
  ] as const)('%s %s sets its setting', (flag, text, key, value) => {
    const { origins, settings } = parse(flag, text)
    expect(settings[key]).toBe(value)
    expect(origins[key]).toBe(flag)
  })

  it('each set a setting', () => {
    for (const [key, row] of settingRows) {
      if (row.secret === 'whole' || row.fallback === undefined) continue
      const { origins } = parse(flagName(row), row.fallback)
      expect([key, origins[key]]).toEqual([key, flagName(row)])
    }
  })

  it('do not include secrets', () => {
    expect(() => parse('--signing-secret', 'x')).toThrow(/unknown option/)
  })

  it('may be a selection, without secrets among them', () => {
    const verb = verbWithSettings('x', 'y', ['dataDir', 'signingSecret', 'httpPort'])
    expect(verb.options.map(({ long }) => long)).toEqual(['--config', '--data-dir', '--http-port'])
  })
})

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorForPeople, exitCodeOf } from '../../src/cli/exit-code.js'
import { SettingsError } from '../../src/config/load.js'
import { AttestdError } from '../../src/core/errors.js'
import { packagePath } from '../../src/core/files.js'
import type { Reason } from '../../src/core/reasons.js'

const problem = {
  reason: 'setting-missing',
  setting: 'ATTESTD_X',
  expected: 'x',
  got: 'nothing',
  fix: 'Set it.',
} as const

it.each<[string, unknown, number]>([
  ['settings that are wrong', new SettingsError([problem]), 78],
  ['a package that is wrong', new AttestdError('manifest-invalid'), 78],
  ['a service that does not answer', new AttestdError('service-unreachable'), 75],
  ['a limit of the service', new AttestdError('service-rate-limited'), 75],
  ['no daemon on the data directory', new AttestdError('daemon-not-running'), 75],
  ['a disk without room', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }), 75],
  ['media that cannot be scored', new AttestdError('media-corrupt'), 1],
  ['an error of another library', new TypeError('x is not a function'), 1],
  ['what is no error', 'text', 1],
])('a service manager restarts where that may help, and nowhere else %s', (_, error, code) => {
  expect(exitCodeOf(error)).toBe(code)
})

describe('an error on a terminal', () => {
  it('prints its reason, and the fix where there is one', () => {
    expect(errorForPeople(new AttestdError('stake-low', 'Too low.', { fix: 'Deposit more.' }))).toEqual([
      'attestd: Too low.  [stake-low]',
      '  fix  Deposit more.',
    ])
    const withoutFix: Reason = 'media-corrupt'
    expect(errorForPeople(new AttestdError(withoutFix, 'Cut.'))).toEqual(['attestd: Cut.  [media-corrupt]'])
  })

  it('names a full disk, whichever write failed', () => {
    expect(errorForPeople(new Error('ENOSPC: no space left on device, write'))).toEqual([
      'attestd: ENOSPC: no space left on device, write  [disk-full]',
      expect.stringMatching(/fix {2}Free space where the command writes/),
    ])
  })

  it('names it also where standard output is a file on the full disk', () => {
    const full = fs.openSync('/dev/full', 'w')
    const command = [packagePath('dist', 'cli', 'main.js'), 'completion', 'bash']
    const { status, stderr } = spawnSync(process.execPath, command, {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    fs.closeSync(full)
    expect(stderr).toMatch(/^attestd: ENOSPC: .*\[disk-full\]\n {2}fix {2}Free space .*\n$/)
    expect(status).toBe(75)
  })

  it('names a file of another user, with what to do', () => {
    const error = Object.assign(new Error("EACCES: permission denied, open '/d/control.json'"), { code: 'EACCES' })
    expect(errorForPeople(error)).toEqual([
      "attestd: EACCES: permission denied, open '/d/control.json'  [data-dir-unusable]",
      expect.stringContaining('fix  Run the command as the user that attestd runs as'),
    ])
  })

  it('names a working directory that was removed', () => {
    const error = new Error('ENOENT: no such file or directory, uv_cwd')
    expect(exitCodeOf(error)).toBe(64)
    expect(errorForPeople(error)).toEqual([
      'attestd: The working directory was removed.  [argument-invalid]',
      expect.stringContaining('Change to a directory that exists'),
    ])
  })

  it('of a library has its text and its cause, and no stack', () => {
    const error = new Error('fetch failed', { cause: new Error('ECONNREFUSED') })
    expect(errorForPeople(error)).toEqual(['attestd: fetch failed: ECONNREFUSED'])
  })

  it.each(['password=hush-hush', 'https://me:hush-hush@service.example', 'Authorization: Bearer hush-hush-hush'])(
    'contains no secret, whatever put it there: %s',
    (text) => {
      expect(errorForPeople(new Error(`refused ${text}`)).join('\n')).not.toContain('hush')
      expect(errorForPeople(new AttestdError('wallet-unusable', `refused ${text}`)).join('\n')).not.toContain('hush')
      expect(errorForPeople(new SettingsError([{ ...problem, got: text }])).join('\n')).not.toContain('hush')
    },
  )
})

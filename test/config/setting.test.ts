import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { choiceInFile, choiceText, chosenDetectors } from '../../src/config/detector-choice.js'
import {
  address,
  bytes,
  bytes32,
  credentialsIn,
  flagName,
  folder,
  httpUrl,
  integer,
  keysInUrls,
  list,
  maskCredentials,
  maskUrls,
  oneOf,
  originUrl,
  yesNo,
} from '../../src/config/setting.js'

/** What a text is taken for; undefined where it is refused. */
const parsed = (parse: z.ZodType<unknown, string>) => (text: string) => parse.safeParse(text).data

/** Tests of what each text is taken for. */
const taken = (what: string, parse: z.ZodType<unknown, string>, rows: [text: string, value: unknown][]) =>
  it.each(rows)(`${what} %j is %j`, (text, value) => expect(parsed(parse)(text)).toEqual(value))

taken('a whole number from -2 to 70', integer(-2, 70), [
  ['-2', -2],
  ['70', 70],
  ['007', 7],
  ['-3', undefined],
  ['71', undefined],
  ['', undefined],
  [' 7', undefined],
  ['7.0', undefined],
  ['1e1', undefined],
  ['0x1f', undefined],
  ['+7', undefined],
  ['7\n', undefined],
  ['7,000', undefined],
])

taken('yes or no', yesNo.parse, [
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['TRUE', undefined],
  ['on', undefined],
  ['', undefined],
])

taken('a size', bytes, [
  ['0', 0],
  ['10000', 10_000],
  ['9999', undefined],
  ['200', undefined],
  ['1048576', 1_048_576],
  ['5MB', 5_000_000],
  ['5 mib', 5 * 1024 ** 2],
  ['2  GiB', 2 * 1024 ** 3],
  ['3kb', 3000],
  ['3KiB', 3072],
  ['1gb', 1e9],
  ['1.5GiB', undefined],
  ['-1', undefined],
  ['5 TB', undefined],
  ['5M', undefined],
  ['MiB', undefined],
  ['', undefined],
])

const hex = (digits: number) => `0x${'aB'.repeat(digits / 2)}`

it.each([
  ['an address', address, 40],
  ['32 bytes', bytes32, 64],
])('hex %s has its digits and no other, and is made lower case', (_, parse, digits) => {
  expect(parsed(parse)(hex(digits))).toBe(hex(digits).toLowerCase())
  for (const bad of [
    hex(digits - 2),
    hex(digits + 2),
    hex(digits).slice(2),
    `${hex(digits)}\n`,
    hex(digits).replace('a', 'g'),
  ])
    expect(parsed(parse)(bad)).toBeUndefined()
})

describe('lists and words', () => {
  taken('the list', list(oneOf(['a', 'b']).parse), [
    ['a,b', ['a', 'b']],
    [' a , b ,', ['a', 'b']],
    ['', []],
    [',,', []],
    ['a,c', undefined],
    ['A', undefined],
  ])

  taken('the folder', folder, [
    ['~/x', path.join(os.homedir(), 'x')],
    ['~x', undefined],
    ['/a/../b', '/b'],
    ['rel', path.resolve('rel')],
    ['', undefined],
  ])
})

describe('URLs', () => {
  it.each([
    ['https://a.example/x?k=1', true],
    ['http://10.0.0.1:8545', true],
    ['ws://a.example', false],
    ['file:///etc/passwd', false],
    ['a.example', false],
    ['', false],
  ])('%j is one of http: %s', (text, taken) => {
    expect(parsed(httpUrl)(text) !== undefined).toBe(taken)
  })

  it.each([
    ['https://a.example', true],
    ['http://a.example', true],
    ['https://a.example/', true],
    ['https://a.example/api', false],
    ['https://a.example?x', false],
    ['https://me@a.example', false],
  ])('%j is an origin: %s', (text, taken) => {
    expect(parsed(originUrl)(text) !== undefined).toBe(taken)
  })
})

describe('a URL as shown', () => {
  it.each([
    ['redis://h:1', 'redis://h:1'],
    ['redis://me:pw@h:1/0', 'redis://••••••@h:1/0'],
    ['redis://:p@w@h', 'redis://••••••@h'],
    ['https://a:1@x,https://b:2@y/p', 'https://••••••@x,https://••••••@y/p'],
    ['mailto:me@example', 'mailto:me@example'],
  ])('with credentials: %s reads %s', (text, shown) => {
    expect(maskCredentials(text)).toBe(shown)
  })

  it.each([
    ['https://a.example', 'https://a.example'],
    ['https://a.example/', 'https://a.example'],
    ['https://a.example/v2/key', 'https://a.example/••••••'],
    ['https://a.example?k=key', 'https://a.example/••••••'],
    ['https://a.example#key', 'https://a.example/••••••'],
    ['https://me:key@a.example', 'https://a.example'],
    ['https://a.example, https://b.example/key', 'https://a.example,https://b.example/••••••'],
    ['key-without-scheme', '••••••'],
    ['', ''],
  ])('with keys anywhere: %j reads %j', (text, shown) => {
    expect(maskUrls(text)).toBe(shown)
  })
})

describe('what is never shown of a URL', () => {
  it.each([
    ['redis://me:pw@h', ['me:pw', 'pw']],
    ['redis://:p:w@h', [':p:w', 'p:w']],
    ['redis://me@h', ['me', 'me']],
    ['redis://h', []],
    ['redis://a:1@h,i:2/main', ['a:1', '1']],
  ])('the credentials of %s are %j', (text, found) => {
    expect(credentialsIn(text)).toEqual(found)
  })

  it.each([
    ['https://a.example/v2/123456789012', ['123456789012']],
    ['https://a.example/v2/12345678901', []],
    ['https://a.example/x?apikey=abcdefghijkl&net=mainnet', ['abcdefghijkl']],
    ['https://a.example/#abcdefghijkl', ['abcdefghijkl']],
    ['https://a.example/abcdefghijkl, https://b.example/lkjihgfedcba', ['abcdefghijkl', 'lkjihgfedcba']],
    ['https://me:pw@a.example/abcdefghijkl', ['me:pw', 'pw', 'abcdefghijkl']],
    ['no url at all', []],
  ])('the keys of %s are %j', (text, found) => {
    expect(keysInUrls(text)).toEqual(found)
  })
})

it.each([
  ['HTTP_PORT', '--http-port'],
  ['WALLET', '--wallet'],
  ['BLOCK_MAX_AGE_MS', '--block-max-age-ms'],
])('the flag of %s is %s', (env, flag) => {
  expect(flagName({ env })).toBe(flag)
})

describe('the choice of detectors', () => {
  taken('the choice', chosenDetectors, [
    ['', []],
    ['a', [{ id: 'a' }]],
    ['a=shadow', [{ id: 'a', shadow: true }]],
    ['a=1', [{ id: 'a', weight: 1, shadow: false }]],
    ['a=1000', [{ id: 'a', weight: 1000, shadow: false }]],
    ['a=0.001', [{ id: 'a', weight: 0.001, shadow: false }]],
    ['a=canary:1', [{ id: 'a', canary: 1 }]],
    ['a=canary:99', [{ id: 'a', canary: 99 }]],
    ['*=shadow', [{ id: '*', shadow: true }]],
    ['*', undefined],
    ['*=2', undefined],
    ['*=canary:5', undefined],
    ['a=canary:0', undefined],
    ['a=canary:100', undefined],
    ['a=canary:5.5', undefined],
    ['a=canary:', undefined],
    ['a=canary', undefined],
    ['a=', undefined],
    ['a=-1', undefined],
    ['a=dark', undefined],
    ['a=1=2', undefined],
    ['a=1000.1', undefined],
    ['a=0.0', undefined],
    ['a=.5', undefined],
    ['A', undefined],
    ['-a', undefined],
    ['a/b', undefined],
    ['a=shadow,a', undefined],
  ])

  it.each(['a', 'a=2.5', 'a=shadow', '*=shadow', 'a=canary:7', 'a.b_c-1=1000'])(
    '%s is written as it was read',
    (text) => {
      expect(chosenDetectors.parse(text).map(choiceText)).toEqual([text])
    },
  )

  it.each([
    [{ id: 'a' }, 'a'],
    [{ id: 'a', weight: '2.5' }, 'a=2.5'],
    [{ id: 'a', shadow: true }, 'a=shadow'],
    [{ id: 'a', shadow: false }, 'a'],
    [{ id: 'a', weight: '2', shadow: false }, 'a=2'],
    [{ id: 'a', canary: '10' }, 'a=canary:10'],
    [{ id: 'a', weight: '2', shadow: true }, undefined],
    [{ id: 'a', canary: '10', weight: '2' }, undefined],
    [{ id: 'a', canary: '10', shadow: true }, undefined],
    [{ id: 'a', weight: 'heavy' }, undefined],
    [{ id: 'a', more: '1' }, undefined],
    [{ weight: '1' }, undefined],
  ])('%j of the settings file is %j', (entry, text) => {
    expect(choiceInFile.safeParse(entry).data).toBe(text)
  })
})

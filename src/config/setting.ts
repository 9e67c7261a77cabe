import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { commaSeparated } from '../core/text.js'

/** One row of the settings table as it is written down. `T` is the parsed value. */
export interface Row<T> {
  /** Where it stands in the YAML file, e.g. `service.url`. */
  readonly path: string
  /** Turns the text of any source into the value, or states what was expected. */
  readonly parse: z.ZodType<T, string>
  /** Text of the default; absent where the verb that needs the setting must be given one. */
  readonly fallback?: string
  /** What a good value looks like, for the error block and the settings page. */
  readonly expects: string
  readonly summary: string
  /**
   * Masked wherever settings are shown: as a whole, only the credentials in its URLs, or all of its URLs after their
   * origins (providers put their keys into paths); may also be given as `<ENV>_FILE`, a path to a file that holds it.
   */
  readonly secret?: 'whole' | 'credentials' | 'url'
  /** Whether the file of `<ENV>_FILE` must be readable by its owner alone. */
  readonly ownerOnly?: true
  /** The value as the status shows it, where its own text does not do. */
  shown?(value: T): string
}

/** A row of the table with its name in the environment, after `ATTESTD_`. */
export interface Setting<T> extends Row<T> {
  readonly env: string
}

/** A row of the table, with the type of its value, and whether it has one by default. */
export function define<T>(row: Row<T> & { readonly fallback: string }): Row<T> & { readonly fallback: string }
export function define<T>(row: Row<T>): Row<T> & { readonly fallback?: never }
export function define<T>(row: Row<T>): Row<T> {
  return row
}

/** The rows with their names in the environment: `queueUrl` is ATTESTD_QUEUE_URL. Black-box checks rely on these. */
export function named<R extends object>(rows: R) {
  const env = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
  const all = Object.entries(rows).map(([key, row]) => [key, { ...row, env: env(key) }])
  return Object.fromEntries(all) as { readonly [K in keyof R]: R[K] & { readonly env: string } }
}

export const MINUTE = 60_000
export const DAY = 24 * 60 * MINUTE

export const envName = (row: Pick<Setting<unknown>, 'env'>) => `ATTESTD_${row.env}`

/** The setting's flag on the command line. */
export const flagName = (row: Pick<Setting<unknown>, 'env'>) => `--${row.env.toLowerCase().replaceAll('_', '-')}`

export const text = (pattern: RegExp, expects: string) => z.string().regex(pattern, expects)

/** Not in the quotes of a shell, which `docker run --env-file` keeps. */
const isUnquoted = (value: string): boolean => !/^(["']).*\1$/.test(value)

/** A key without spaces. */
export const accessKeyText = text(/^[\x21-\x7e]{4,200}$/, 'printable characters without spaces').refine(
  isUnquoted,
  'no quotes around it',
)

/** A secret in one line: a file with more lines, or in UTF-16, holds something else. */
export const secretLine = text(/^[^\p{Cc}\u{FFFD}]+$/u, 'one line of UTF-8 text').refine(
  isUnquoted,
  'no quotes around it',
)

export function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^-?\d+$/, 'a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `at least ${min}`).max(max, `at most ${max}`))
}

/** A probability or share that is neither 0 nor 1. */
export const between0And1 = z
  .string()
  .regex(/^\d*\.?\d+$/, 'a number')
  .transform(Number)
  .pipe(z.number().gt(0, 'above 0').lt(1, 'below 1'))

/** The fields of a row that takes a whole number within bounds. */
export const whole = (min: number, max: number) => ({ parse: integer(min, max), expects: `${min} to ${max}` })

/** The same for a time span. */
export const milliseconds = (min: number, max: number) => {
  return { parse: integer(min, max), expects: `milliseconds, ${min} to ${max}` }
}

/** The fields of a row that takes one of these words. */
export function oneOf<const T extends readonly [string, string, ...string[]]>(values: T) {
  const expects = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
  return { parse: z.string().pipe(z.enum(values)), expects }
}

/** The fields of a row that is true or false. */
export const yesNo = {
  parse: z
    .string()
    .pipe(z.enum(['true', 'false', '1', '0', 'yes', 'no']))
    .transform((word) => word === 'true' || word === '1' || word === 'yes'),
  expects: 'true or false',
}

export const list = <T>(item: z.ZodType<T, string>) => z.string().transform(commaSeparated).pipe(z.array(item))

export const httpUrl = z.string().refine((value) => {
  return URL.canParse(value) && ['https:', 'http:'].includes(new URL(value).protocol)
}, 'an http(s):// URL')

/** The origin of a service, over https or plain http; who may use plain http is looked at with all settings together. */
export const originUrl = httpUrl.refine(
  (value) => !URL.canParse(value) || new URL(value).href === `${new URL(value).origin}/`,
  'an origin alone, without user, path, query or fragment',
)

/** Up to the last @ before the path, as URLs are read; a password may hold an @ itself. */
const USERINFO = /(?<=\/\/)[^/\s]+(?=@)/g

/** URLs without the credentials in them. */
export const maskCredentials = (value: string) => value.replaceAll(USERINFO, '••••••')

/** The credentials in URLs, each as written and its password alone. */
export const credentialsIn = (value: string): string[] =>
  (value.match(USERINFO) ?? []).flatMap((userinfo) => [userinfo, userinfo.slice(userinfo.indexOf(':') + 1)])

/** URLs as their origins, where anything follows those; what is no URL may be a key in any part of it. */
export const maskUrls = (value: string) =>
  commaSeparated(value)
    .map((one) => (URL.canParse(one) ? `${new URL(one).origin}${pathOf(one) === '/' ? '' : '/••••••'}` : '••••••'))
    .join(',')

/** What may be a key in URLs: credentials, path with query, and each part of the path that is long enough for one. */
export function keysInUrls(value: string): string[] {
  const paths = commaSeparated(value)
    .filter((one) => URL.canParse(one))
    .map(pathOf)
  return [
    ...credentialsIn(value),
    ...paths.flatMap((one) => one.split(/[/?&=#]/).filter((part) => part.length >= KEY_MIN)),
  ]
}

/** Shorter parts of a path are words such as `v2` or `mainnet`, characters. */
const KEY_MIN = 12
const pathOf = (url: string) => `${new URL(url).pathname}${new URL(url).search}${new URL(url).hash}`

/** A value as it may be shown, where not the whole of it is secret. */
export const maskedText = (row: Pick<Setting<unknown>, 'secret'>, value: string): string =>
  row.secret === 'url' ? maskUrls(value) : maskCredentials(value)

/** 0x and 40 hex characters; made lower case. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, '0x and 40 hex characters')
  .transform((value) => value.toLowerCase() as `0x${string}`)

/** 0x and 64 hex characters; made lower case. */
export const bytes32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, '0x and 64 hex characters')
  .transform((value) => value.toLowerCase() as `0x${string}`)

const UNITS = { '': 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 } as const

/** A number of bytes: `1048576`, `200MiB`, `2 GiB`, `5MB`. */
export const bytes = z
  .string()
  .regex(/^\d+ *(kb|mb|gb|kib|mib|gib)?$/i, 'a whole number, with kB, MB, GB, KiB, MiB, GiB or no unit')
  .refine((value) => !/^0*[1-9]\d{0,3}$/.test(value), 'a unit, such as MiB, for a number below 10,000')
  .transform((value) => {
    const [, number, unit] = /^(\d+) *(\w*)$/.exec(value)!
    return Number(number) * UNITS[unit!.toLowerCase() as keyof typeof UNITS]
  })

/** The fields of a row that takes a size. @param fallback the default, and the example of a good value */
export const size = (fallback: string) => ({ parse: bytes, fallback, expects: `a size such as ${fallback}` })

/** A path in which `~` at the beginning is the user's home; as it was given for a user of a container, who may have none. */
export function expandHome(given: string): string {
  if (!/^~(\/|$)/.test(given)) return given
  try {
    return `${os.homedir() || os.userInfo().homedir}${given.slice(1)}`
  } catch {
    return given
  }
}

/** What a shell expands or removes, and systemd, Docker and YAML do not: it would be a new folder in the working directory. */
const FOR_A_SHELL = /^~|\$[A-Za-z_{(]|^["'\s]|\s$/

/** A file or directory, made absolute; `~` is the user's home. */
export const folder = z
  .string()
  .min(1, 'a directory')
  .transform(expandHome)
  .refine(
    (given) => !FOR_A_SHELL.test(given),
    'without $NAME or ~NAME, and without quotes or spaces around it; ~ needs HOME',
  )
  .transform((given) => path.resolve(given))

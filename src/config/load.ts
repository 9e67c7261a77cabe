import fs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse as parseYaml, type Tags } from 'yaml'
import { z } from 'zod'
import { readTextNow } from '../core/disk/plain-files.js'
import { errorCode, errorText } from '../core/errors.js'
import { modeOpenToOthers } from '../core/files.js'
import type { Reason } from '../core/reasons.js'
import { safeLine } from '../core/safe-output.js'
import { choiceInFile } from './detector-choice.js'
import { credentialsIn, envName, expandHome, flagName, keysInUrls, maskedText, type Setting } from './setting.js'
import { ENV_PREFIX, PATHS, pathFix, unknownNames } from './setting-names.js'
import { conflictsIn, SETTINGS, type SettingKey, type Settings, settingRows } from './settings.js'

/** One thing that is wrong with the settings. */
export interface SettingProblem {
  readonly reason: Extract<Reason, 'setting-missing' | 'setting-invalid' | 'setting-unknown'>
  /** The setting's name as the person wrote it or could write it. */
  readonly setting: string
  readonly expected: string
  /** What was given, masked where it is a secret. */
  readonly got: string
  readonly fix: string
}

/** Thrown by `loadSettings` with everything that is wrong at once; exit code 78. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly SettingProblem[]

  constructor(problems: readonly SettingProblem[]) {
    super(formatProblems(problems))
    this.problems = problems
  }
}

export interface SettingSources {
  readonly flags?: Readonly<Partial<Record<SettingKey, string>>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** YAML file; the environment's ATTESTD_CONFIG where absent. */
  readonly file?: string | undefined
  /** Read where neither names one and this one is there. */
  readonly usualFile?: string | undefined
  /** Settings without which the verb cannot work, given those that were accepted. */
  readonly need?: (settings: Partial<Settings>) => readonly SettingKey[]
}

export interface LoadedSettings {
  readonly settings: Settings
  readonly origins: Readonly<Record<SettingKey, string>>
  readonly secrets: readonly string[]
  /** ATTESTD_* names in the environment that no setting has; worth a warning, not a stop. */
  readonly unknownEnv: readonly string[]
  /** The settings file that was read, as it was named; null where there is none. */
  readonly file: string | null
  /** Files that hold secrets and that others than their owner may read. */
  readonly openSecretFiles: readonly OpenFile[]
}

/** A file with a mode that lets others than its owner use it, such as `0644`. */
export interface OpenFile {
  readonly file: string
  readonly mode: string
}

/** Reads the settings: flag > environment > file (secrets: `ATTESTD_X_FILE`) > default. @throws SettingsError */
export function loadSettings(sources: SettingSources): LoadedSettings {
  const problems: SettingProblem[] = []
  const fileName = settingsFileOf(sources)
  const inFile = fileName ? readSettingsFile(fileName, problems) : new Map<string, string>()
  // All others would be reported as missing.
  if (inFile === null) throw new SettingsError(problems)
  const values: Record<string, unknown> = {}
  const origins = {} as Record<SettingKey, string>
  const secrets: string[] = []
  const openSecretFiles: OpenFile[] = []
  for (const [key, row] of settingRows) {
    const found = findText(key, row, sources, inFile, fileName, problems)
    if (found === null) continue
    origins[key] = found.origin
    if (found.openFile && !openSecretFiles.some(({ file }) => file === found.openFile?.file))
      openSecretFiles.push(found.openFile)
    secrets.push(...secretsOf(row, found))
    const parsed = row.parse.safeParse(found.text)
    if (parsed.success) values[key] = parsed.data
    else problems.push(invalid(row, found, detailOf(row, parsed.error)))
  }
  const accepted = values as Partial<Settings>
  for (const key of sources.need?.(accepted) ?? []) {
    const { env, path } = SETTINGS[key]
    const reported = problems.some(({ setting }) => setting.startsWith(envName({ env })) || setting.startsWith(path))
    if (origins[key] === undefined && !reported) {
      problems.push(missing(SETTINGS[key], fileName ?? null))
    }
  }
  for (const { key, expected, fix } of conflictsIn(accepted)) {
    const found = { text: String(values[key]), origin: origins[key] }
    problems.push({ ...invalid(SETTINGS[key], found, expected), fix })
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return {
    settings: values as unknown as Settings,
    origins,
    secrets,
    unknownEnv: unknownNames(sources.env),
    file: fileName ?? null,
    openSecretFiles,
  }
}

function settingsFileOf({ env, file, usualFile }: SettingSources): string | undefined {
  const named = file ?? (env[`${ENV_PREFIX}CONFIG`] || undefined)
  return named ?? (usualFile !== undefined && fs.existsSync(usualFile) ? usualFile : undefined)
}

function secretsOf(row: Setting<unknown>, { text, origin }: Found): string[] {
  if (row.secret === 'whole' && origin !== 'default') return [text]
  return row.secret === 'url' ? keysInUrls(text) : credentialsIn(text)
}

interface Found {
  readonly text: string
  readonly origin: string
  /** Where it was read from a file that others may read. */
  readonly openFile?: OpenFile | undefined
}

function findText(
  key: SettingKey,
  row: Setting<unknown>,
  sources: SettingSources,
  inFile: ReadonlyMap<string, string>,
  fileName: string | undefined,
  problems: SettingProblem[],
): Found | null {
  const name = envName(row)
  const flag = sources.flags?.[key]
  if (flag !== undefined) return { text: flag, origin: flagName(row) }
  const given = sources.env[name]
  const secretFile = row.secret ? sources.env[`${name}_FILE`] : undefined
  if (given && secretFile) return refuseBoth(name, `${name}_FILE`, problems)
  // Orchestrators pass a file's content on, whose last line may end.
  if (given) return { text: row.secret ? given.replace(/[\r\n]+$/, '') : given, origin: name }
  if (secretFile) return readSecretFile(row, `${name}_FILE`, expandHome(secretFile), problems)
  const written = inFile.get(row.path)
  const writtenSecretFile = row.secret ? inFile.get(`${row.path}File`) : undefined
  if (written !== undefined && writtenSecretFile) return refuseBoth(row.path, `${row.path}File`, problems)
  if (written !== undefined) {
    const openFile = row.secret === 'whole' ? openFileOf(fileName!) : undefined
    return { text: written, origin: `${fileName} (${row.path})`, openFile }
  }
  if (writtenSecretFile) {
    // Relative to the file that names it, wherever the verb was started.
    const besideFile = resolve(dirname(fileName ?? ''), expandHome(writtenSecretFile))
    return readSecretFile(row, `${row.path}File`, besideFile, problems)
  }
  return row.fallback === undefined ? null : { text: row.fallback, origin: 'default' }
}

/** One of them would be ignored. */
function refuseBoth(secret: string, file: string, problems: SettingProblem[]): null {
  problems.push({
    reason: 'setting-invalid',
    setting: secret,
    expected: `either ${secret} or ${file}`,
    got: 'both',
    fix: `Unset ${secret} to use the file, or unset ${file}.`,
  })
  return null
}

/** A file with its mode, where others may read it. */
function openFileOf(file: string): OpenFile | undefined {
  const mode = modeOpenToOthers(fs.statSync(file))
  return mode === null ? undefined : { file, mode }
}

function readSecretFile(
  row: Setting<unknown>,
  setting: string,
  file: string,
  problems: SettingProblem[],
): Found | null {
  const refuse = (expected: string, got: string, fix: string) => {
    // Whoever gives the secret itself instead of a path should not find it in a log.
    const isLikeIt = !file.includes('/') && row.parse.safeParse(file).success
    const named = isLikeIt ? `a name of ${file.length} characters (hidden)` : file
    problems.push({ reason: 'setting-invalid', setting, expected, got: `${named} (${got})`, fix })
    return null
  }
  try {
    const openFile = openFileOf(file)
    if (row.ownerOnly && openFile) {
      return refuse('a file readable by its owner only', `mode ${openFile.mode}`, `Run chmod 600 ${file}.`)
    }
    // Some editors begin a file with a byte order mark.
    const text = readTextNow(file)
      .replace(/^\uFEFF/, '')
      .trimEnd()
    if (text === '') return refuse(row.expects, 'empty', `Write it into ${file}.`)
    return { text, origin: setting, openFile }
  } catch (error) {
    const why = errorCode(error) ?? errorText(error)
    return refuse('the path of a readable file that holds the secret', why, 'Create the file, or correct the path.')
  }
}

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const listInFile = z.array(z.union([scalar, choiceInFile])).transform((all) => all.join(','))
const fileShape = z.record(
  z.string(),
  z
    .record(
      z.string(),
      z.union([scalar, listInFile], 'expected a text, a number, true, false or a list').nullable(),
      'expected a section, such as service:, with its settings indented below it',
    )
    .nullable(),
  'expected sections, such as service:, in UTF-8',
)

/** What to do about a settings file that cannot be read, by the system's code. */
const FILE_FIXES: Readonly<Record<string, string>> = {
  ENOENT: 'Correct the path (--config or ATTESTD_CONFIG), or write one with attestd init.',
  EACCES: 'Let this user read the file (chown or chmod).',
  EISDIR: 'Name the file in that folder (--config or ATTESTD_CONFIG).',
}

/** @returns the values by path; null where the file cannot be read, which leaves open what is missing */
function readSettingsFile(file: string, problems: SettingProblem[]): Map<string, string> | null {
  const found = new Map<string, string>()
  const broken = (got: string, fix = 'Correct the file, or start from the example.') => {
    const expected = 'a YAML file of sections, as in config/attestd.example.yaml'
    problems.push({ reason: 'setting-invalid', setting: file, expected, got, fix })
    return null
  }
  let content: unknown
  try {
    content = readYaml(readTextNow(file)) ?? {}
  } catch (error) {
    return broken(errorText(error), FILE_FIXES[(error as NodeJS.ErrnoException).code ?? ''])
  }
  const parsed = fileShape.safeParse(content)
  if (!parsed.success) {
    return broken(
      parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`).join('; '),
    )
  }
  for (const [section, entries] of Object.entries(parsed.data)) {
    for (const [name, value] of Object.entries(entries ?? {})) {
      const path = `${section}.${name}`
      if (!PATHS.includes(path)) problems.push(unknown(file, path))
      else if (value !== null) found.set(path, value)
    }
  }
  return found
}

/** Numbers stay as they are written: an address 0x…, or a password of digits, would come back as another text. */
const withoutNumbers = (tags: Tags) =>
  tags.filter((tag) => typeof tag === 'string' || !/^tag:yaml\.org,2002:(int|float)$/.test(tag.tag))

/** The library's own messages quote the line that is wrong, which may hold a secret: only the place and its code are reported. */
function readYaml(text: string): unknown {
  try {
    return parseYaml(text, { logLevel: 'error', prettyErrors: false, customTags: withoutNumbers })
  } catch (error) {
    const { code, pos } = error as { code?: string; pos?: [number, number] }
    const line = pos ? `line ${text.slice(0, pos[0]).split('\n').length}` : 'some line'
    const why = code ? ` (${code.toLowerCase().replaceAll('_', ' ')})` : ''
    // oxlint-disable-next-line eslint/preserve-caught-error -- the cause is what must not be shown
    throw new Error(`${line} that is not valid YAML${why}`)
  }
}

/** The problem of a setting that a verb needs and that has no value. @param file the settings file that was read, or null */
export function missing(row: Setting<unknown>, file: string | null): SettingProblem {
  const variable = `${envName(row)}${row.secret ? ` (or ${envName(row)}_FILE with the path of a file)` : ''}`
  return {
    reason: 'setting-missing',
    setting: envName(row),
    expected: row.expects,
    got: 'nothing',
    fix:
      file === null
        ? `Name your settings file with --config (attestd init writes one), or set ${variable}.`
        : `Set ${variable}, or ${row.path} in ${file}.`,
  }
}

/** What the issues add to what the setting expects; the schema library's own texts, which begin so, add nothing. */
function detailOf({ expects }: Setting<unknown>, { issues }: z.ZodError): string {
  const added = issues
    .map(({ message }) => message)
    .filter((one) => !one.startsWith('Invalid ') && !expects.includes(one))
  return [...new Set(added)].join('; ')
}

function invalid(row: Setting<unknown>, found: Found, detail: string): SettingProblem {
  const hidden = `a value of ${found.text.length} characters (hidden)`
  return {
    reason: 'setting-invalid',
    setting: envName(row),
    expected: detail === '' ? row.expects : `${row.expects} (${detail})`,
    got: row.secret === 'whole' ? hidden : JSON.stringify(maskedText(row, found.text)),
    fix: found.origin === 'default' ? `Set ${envName(row)}.` : `Correct ${found.origin}.`,
  }
}

function unknown(file: string, path: string): SettingProblem {
  const section = path.split('.')[0]!
  const near = PATHS.filter((one) => one.startsWith(`${section}.`))
  return {
    reason: 'setting-unknown',
    setting: `${path} in ${file}`,
    expected: near.length > 0 ? `one of ${near.join(', ')}` : 'a known section',
    got: path,
    fix: pathFix(path),
  }
}

function formatProblems(problems: readonly SettingProblem[]): string {
  const blocks = problems.map(({ reason, ...texts }) => {
    const [setting, expected, got, fix] = [texts.setting, texts.expected, texts.got, texts.fix].map(safeLine)
    return `  ${setting}  [${reason}]\n    expected  ${expected}\n    got       ${got}\n    fix       ${fix}`
  })
  return `attestd cannot start with these settings:\n\n${blocks.join('\n\n')}\n`
}

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Hex } from 'viem'
import type { RegisterEnd, RegisterProgress } from '../app/register/register.js'
import type { Registered } from '../app/register/register-file.js'
import { bytes32 } from '../config/setting.js'
import { systemClock } from '../core/clock.js'
import { MEDIA_TYPES, type MediaType } from '../core/media-types.js'
import { safeJson } from '../core/safe-output.js'
import { EXIT, listenForStop } from '../core/shutdown.js'
import type { Turnaround } from '../service/port.js'
import { errorForPeople } from './exit-code.js'
import { fileArgument } from './flags/files.js'
import { neededToRegister } from './flags/needed-settings.js'
import { durationFlag } from './flags/numbers.js'
import { SERVICE_KEYS, settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { askWalletPassword } from './terminal/password-prompt.js'
import { printErrorLines, printLines, printText } from './terminal/print.js'

interface RegisterFlags {
  readonly title?: string
  readonly context?: string
  readonly mediaType?: MediaType
  readonly turnaround?: Turnaround
  readonly openFor: string
  readonly attestationUid?: Hex
  readonly follow: boolean
  readonly timeout?: string
  readonly json?: boolean
}

/** `attestd register`; exits with 0 too where the asset was not to be followed, or the service shows no scores. */
export function registerVerb(): Command {
  const verb = verbWithSettings(
    'register',
    'Upload a file, register it for verification, and follow it until it is scored (0: scored, 1: not scored).',
    [...SERVICE_KEYS, 'contentHash'],
  )
    .argument('<file>', 'what to register, at most 50 MB')
    .option('--title <text>', "title of the asset (default: the file's name)")
    .option('--context <text>', 'hint for attesters, at most 200 characters')
    .addOption(
      new Option('--media-type <type>', 'kind of media (default: detected from the bytes)').choices(MEDIA_TYPES),
    )
    .addOption(new Option('--turnaround <turnaround>', 'how fast').choices(['standard', 'priority_5min']))
    .option('--open-for <time>', 'how long it accepts scores, such as 90m or 12h', '12h')
    .option('--attestation-uid <uid>', 'uid of your own attestation (default: made from the wallet, or the hash)', uid)
    .option('--no-follow', 'exit after the registration')
    .option('--timeout <time>', 'stop following after this time (default: while it is open)')
    .option('--json', 'the asset and how it ended as one JSON line; progress goes to stderr')
  return verb.action((file: string, flags: RegisterFlags) => registerAndFollow(verb, file, flags))
}

async function registerAndFollow(verb: Command, file: string, flags: RegisterFlags): Promise<void> {
  const { settings } = settingsOf(verb, neededToRegister)
  const { register } = await import('../app/register/register.js')
  const { attestationUid, context, mediaType, title, turnaround } = flags
  const timeoutMs = flags.timeout === undefined ? null : durationFlag('--timeout', flags.timeout)
  const signals = listenForStop(systemClock)
  try {
    const request = {
      file: await fileArgument('<file>', file),
      openForMs: durationFlag('--open-for', flags.openFor),
      followMs: flags.follow ? timeoutMs : undefined,
      title,
      mediaContext: context,
      mediaType,
      turnaround,
      attestationUid,
    }
    const { asset, end } = await register(settings, request, progressOf(flags), {
      askPassword: askWalletPassword,
      signal: signals.drain,
    })
    if (flags.json) printText(`${safeJson({ asset, end })}\n`)
    else printLines([endText(asset, end)])
    process.exitCode = exitCodeAfter(end)
  } finally {
    signals.dispose()
  }
}

function progressOf({ follow }: RegisterFlags): RegisterProgress {
  return {
    registered: ({ id, bytes, contentHash, mediaType, uri, verificationDeadline }) =>
      printErrorLines([
        `• uploaded ${bytes} bytes (${mediaType ?? 'of an unknown kind'}), content hash ${contentHash}`,
        `  ${uri}`,
        `• registered as ${id}, open until ${verificationDeadline}`,
        ...(follow ? ['• waiting for a score; Ctrl-C stops the waiting, the asset stays'] : []),
      ]),
    trouble: (error) => printErrorLines(errorForPeople(error)),
  }
}

function endText({ id }: Registered, end: RegisterEnd): string {
  switch (end.outcome) {
    case 'scored':
      return `${id} has ${end.scoreCount === 1 ? 'a score' : `${end.scoreCount} scores`}.${aggregateText(end.aggregate)}`
    case 'closed':
      return `${id} no longer accepts scores, and it has none.`
    case 'not-scored':
      return `${id} was not scored in this time; it remains open.`
    case 'stopped':
      return `${id} is registered and not scored yet.`
    case 'hidden':
      return `${id} is registered. It cannot be followed: ${end.message}.`
    case 'not-followed':
      return `${id} is registered.`
    case 'failed':
      return `${id} is registered. It cannot be followed: ${end.message}  [${end.reason}]`
  }
}

/** The fields of an aggregate are not shown: its numbers are printed by the names that they have. */
function aggregateText(aggregate: unknown): string {
  const entries = typeof aggregate === 'object' && aggregate !== null ? Object.entries(aggregate) : []
  const numbers = entries.filter(([, value]) => typeof value === 'number')
  return numbers.length === 0 ? '' : ` ${numbers.map(([name, value]) => `${name} ${value}`).join(', ')}.`
}

const exitCodeAfter = ({ outcome }: RegisterEnd): number =>
  outcome === 'scored' || outcome === 'hidden' || outcome === 'not-followed' ? EXIT.ok : EXIT.failed

function uid(text: string): Hex {
  const parsed = bytes32.safeParse(text)
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError('0x and 64 hex characters')
}

import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { Command, Option } from 'commander'
import type { AttestationProvider } from '../app/verbs/sandbox.js'
import { systemClock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
import { safeJson } from '../core/safe-output.js'
import { aborted, listenForStop } from '../core/shutdown.js'
import type { Sandbox } from '../sandbox/create-sandbox.js'
import type { SandboxOptions } from '../sandbox/sandbox-options.js'
import { fileArgument } from './flags/files.js'
import { wholeNumberFlag } from './flags/numbers.js'
import { printText } from './terminal/print.js'

interface SandboxFlags {
  readonly host: string
  readonly port: string
  readonly allowRemote?: boolean
  readonly headerPrefix: string
  readonly windowMs: string
  readonly duplicates: 'idempotent' | 'reject' | 'store'
  readonly chainId: string
  readonly data?: string
  readonly sessionSecretFile?: string
  /** False with --no-auth. */
  readonly auth: boolean
  readonly attestationProvider: AttestationProvider
  readonly faults?: string
  readonly samples?: boolean
  readonly secrets?: string
  readonly json?: boolean
}

/** `attestd sandbox`; runs until SIGTERM or SIGINT. Without --data each run has asset ids of its own. */
export function sandboxVerb(): Command {
  return new Command('sandbox')
    .description(
      'Run a local service to develop against: both APIs, uploads, an IPFS gateway, a chain, faults on demand.',
    )
    .option('--host <address>', 'address to bind', '127.0.0.1')
    .option('--port <port>', 'port to bind, 0 for any', '8787')
    .option('--allow-remote', 'allow a --host that other machines reach')
    .option('--header-prefix <prefix>', 'brand of the signature headers', 'Service')
    .option('--window-ms <ms>', 'timestamp window', '30000')
    .addOption(
      new Option('--duplicates <policy>', 'how a second score of an attester is handled')
        .choices(['idempotent', 'reject', 'store'])
        .default('idempotent'),
    )
    .option('--chain-id <id>', 'id of the chain of the stake contract', '84532')
    .addOption(
      new Option(
        '--attestation-provider <which>',
        "who holds v1's wallets: the sandbox, Privy (ATTESTD_PRIVY_*), nobody",
      )
        .choices(['local', 'privy', 'none'])
        .default('local'),
    )
    .option('--data <folder>', 'keep everything in FOLDER, so that it survives a restart')
    .option('--session-secret-file <file>', 'secret that signs wallet sessions (default: random)')
    .option('--no-auth', 'wallet-session API without sign-in; never where other machines reach it')
    .option('--faults <json>', 'fault plan, in the format of PUT /sandbox/faults (see /docs)')
    .option('--samples', 'register the sample media that come with attestd')
    .option(
      '--secrets <folder>',
      "write the attester's keys to FOLDER/access_key, signing_secret and wallet_key, as init names them",
    )
    .option('--json', 'print URL, keys, wallets and chain as one JSON line')
    .action((flags: SandboxFlags) => sandbox(flags))
}

async function sandbox(flags: SandboxFlags): Promise<void> {
  const [{ startSandbox }, { writeSandboxSecrets }, { sandboxFacts, sandboxText }] = await Promise.all([
    import('../sandbox/create-sandbox.js'),
    import('../app/verbs/sandbox.js'),
    import('./sandbox-text.js'),
  ])
  const running = await startSandbox(await optionsOf(flags))
  try {
    if (flags.secrets !== undefined) await writeSandboxSecrets(flags.secrets, running)
    if (flags.samples) await registerSamples(running)
    const text = flags.json
      ? `${safeJson(sandboxFacts(running))}\n`
      : sandboxText(running, {
          secrets: flags.secrets === undefined ? null : path.resolve(flags.secrets),
          auth: flags.auth,
        })
    printText(text)
    const signals = listenForStop(systemClock)
    await aborted(signals.drain)
    signals.dispose()
  } finally {
    await running.close()
  }
}

async function optionsOf(flags: SandboxFlags): Promise<SandboxOptions> {
  const { embeddedWalletOptions } = await import('../app/verbs/sandbox.js')
  const { data, faults, sessionSecretFile } = flags
  return {
    clock: systemClock,
    host: flags.host,
    port: wholeNumberFlag('--port', flags.port),
    allowRemote: flags.allowRemote ?? false,
    headerPrefix: flags.headerPrefix,
    timestampWindowMs: wholeNumberFlag('--window-ms', flags.windowMs),
    duplicateScores: flags.duplicates,
    chainId: wholeNumberFlag('--chain-id', flags.chainId),
    disableAuth: !flags.auth,
    ...embeddedWalletOptions(flags.attestationProvider, process.env),
    // A daemon that remembers the last sandbox must not take this one's assets for those; a folder remembers its own.
    ...(data === undefined ? { run: randomUUID() } : { dataDirectory: data }),
    // Absent where none is given: a folder has kept one.
    ...(sessionSecretFile === undefined ? {} : { sessionSecret: await secretOf(sessionSecretFile) }),
    faults: faults === undefined ? undefined : jsonFlag('--faults', faults),
  }
}

/** A folder that was used before has them already. */
async function registerSamples(running: Sandbox): Promise<void> {
  const { readSamples } = await import('../app/samples.js')
  const titles = new Set(running.world.assets.all().map(({ title }) => title))
  for (const { path: file, title, mediaType } of await readSamples()) {
    if (!titles.has(title)) await running.registerFile(file, { title, mediaType })
  }
}

const secretOf = async (file: string): Promise<string> =>
  (await fs.readFile(await fileArgument('--session-secret-file', file), 'utf8')).trim()

function jsonFlag<T>(flag: string, text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw new AttestdError('argument-invalid', `${flag} takes JSON.`)
  }
}

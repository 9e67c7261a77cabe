import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { Command, Option } from 'commander'
import { AttestdError } from '../core/errors.js'
import { writeFileAtomic } from '../core/files.js'
import { aborted, listenForStop } from '../core/shutdown.js'

interface SandboxFlags {
  readonly host: string
  readonly port: string
  readonly allowRemote?: boolean
  readonly headerPrefix: string
  readonly windowMs: string
  readonly duplicates: 'idempotent' | 'reject' | 'store'
  readonly faults?: string
  readonly samples?: boolean
  readonly secrets?: string
  readonly json?: boolean
}

export function sandboxVerb(): Command {
  return new Command('sandbox')
    .description('Run a local service to develop against: the v1 API, uploads, an IPFS gateway, faults on demand.')
    .option('--host <address>', 'address to bind', '127.0.0.1')
    .option('--port <port>', 'port to bind, 0 for any', '8787')
    .option('--allow-remote', 'let --host be an address that other machines reach')
    .option('--header-prefix <prefix>', 'brand of the signature headers', 'Service')
    .option('--window-ms <ms>', 'timestamp window', '30000')
    .addOption(
      new Option('--duplicates <policy>', 'what a second score of an attester does')
        .choices(['idempotent', 'reject', 'store'])
        .default('idempotent'),
    )
    .option('--faults <json>', 'fault plan, as PUT /sandbox/faults takes it (see /docs)')
    .option('--samples', 'register the sample media that come with attestd')
    .option(
      '--secrets <folder>',
      'write the attester key to FOLDER/access_key and FOLDER/signing_secret, as init names them',
    )
    .option('--json', 'print URL and keys as one JSON line')
    .action((flags: SandboxFlags) => sandbox(flags))
}

async function sandbox(flags: SandboxFlags): Promise<void> {
  const [{ startSandbox }, { readSamples }] = await Promise.all([
    import('../sandbox/create-sandbox.js'),
    import('../app/samples.js'),
  ])
  const running = await startSandbox({
    host: flags.host,
    port: wholeNumber('--port', flags.port),
    allowRemote: flags.allowRemote ?? false,
    headerPrefix: flags.headerPrefix,
    timestampWindowMs: wholeNumber('--window-ms', flags.windowMs),
    duplicateScores: flags.duplicates,
    // A daemon that remembers the last sandbox must not take this one's assets for those.
    run: randomUUID(),
    ...(flags.faults === undefined ? {} : { faults: jsonFlag('--faults', flags.faults) }),
  })
  if (flags.secrets !== undefined) await writeSecrets(flags.secrets, running)
  if (flags.samples) {
    for (const sample of await readSamples()) await running.registerFile(sample.path, { title: sample.title })
  }
  process.stdout.write(flags.json ? `${JSON.stringify(publicView(running))}\n` : introduction(running))
  const signals = listenForStop()
  await aborted(signals.drain)
  signals.dispose()
  await running.close()
}

type Running = Awaited<ReturnType<typeof import('../sandbox/create-sandbox.js').startSandbox>>

function publicView({ url, attesterKey, submitterKey, sessionToken }: Running) {
  return { url, attesterKey, submitterKey, sessionToken }
}

/** The keys are made up for this run and open nothing else, so they are shown. */
function introduction({ url, attesterKey, submitterKey, sessionToken }: Running): string {
  return `The sandbox listens at ${url}  (docs: ${url}/docs, OpenAPI: ${url}/openapi.json)

Keys of this run:
  attester   ${attesterKey.accessKey}  ${attesterKey.signingSecret}
  submitter  ${submitterKey.accessKey}  ${submitterKey.signingSecret}
  session    ${sessionToken}

Run a daemon against it:
  ATTESTD_SERVICE_URL=${url} ATTESTD_IPFS_GATEWAYS=${url} \\
  ATTESTD_ACCESS_KEY=${attesterKey.accessKey} ATTESTD_SIGNING_SECRET=${attesterKey.signingSecret} \\
  npx attestd run
`
}

async function writeSecrets(folder: string, { attesterKey }: Running): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFileAtomic(path.join(folder, 'access_key'), `${attesterKey.accessKey}\n`)
  await writeFileAtomic(path.join(folder, 'signing_secret'), `${attesterKey.signingSecret}\n`)
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new AttestdError('setting-invalid', `${flag} takes a whole number, got ${JSON.stringify(text)}.`)
}

function jsonFlag<T>(flag: string, text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw new AttestdError('setting-invalid', `${flag} takes JSON.`)
  }
}

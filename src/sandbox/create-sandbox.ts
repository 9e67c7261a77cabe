import { setMaxListeners } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError, errorText } from '../core/errors.js'
import type { MediaType } from '../core/media-types.js'
import type { Turnaround } from '../service/port.js'
import type { KeyKind } from '../service/signed-key/schemas.js'
import { SandboxControl } from './admin/sandbox-control.js'
import type { SandboxAsset } from './books/asset-book.js'
import type { ApiKey } from './books/key-ring.js'
import type { ScoreRecord } from './books/score-book.js'
import type { StakeRegistry } from './books/stake-registry.js'
import type { DevelopmentWallets } from './books/wallets.js'
import { type ChainAccess, chainAccessOf } from './chain/rpc-route.js'
import { DEADLINE_SWEEP_MS, DEFAULT_MEDIA_TYPE, HELPER_DEADLINE_MS } from './choices.js'
import { createApp } from './create-app.js'
import { createWorld, keptBooksOf } from './create-world.js'
import type { ImportOptions } from './gateway/media-store.js'
import { type CheckedOptions, checkOptions, type SandboxOptions } from './sandbox-options.js'
import { Storage } from './storage/storage.js'
import type { World } from './world.js'

/** A key that came into being with the sandbox; its wallet is 0x and 40 hex characters, lower case. */
export type SandboxKey = Pick<ApiKey, 'id' | 'accessKey' | 'signingSecret'> & { readonly wallet: string }

/** A standard asset where nothing is stated; `mediaType` is then `DEFAULT_MEDIA_TYPE`, whatever the bytes are. */
export interface RegisterFileOptions extends ImportOptions {
  /** The content; the file is read where absent. */
  readonly content?: Uint8Array
  /** @default the file's name */
  readonly title?: string
  readonly mediaContext?: string
  readonly mediaType?: MediaType
  readonly turnaround?: Turnaround
  /** From service time now. @default 12 h */
  readonly deadlineInMs?: number
  /** Instead of the true ones, for tests of bad assets. */
  readonly contentHash?: string
  readonly uri?: string
}

export interface Sandbox {
  /** Origin, without a slash at the end. */
  readonly url: string
  readonly attesterKey: SandboxKey
  readonly submitterKey: SandboxKey
  /** Bearer token of the dashboard and upload routes. */
  readonly sessionToken: string
  /** Wallets with a role in the registry, private keys included. */
  readonly wallets: DevelopmentWallets
  readonly registry: StakeRegistry
  readonly chain: ChainAccess
  readonly control: SandboxControl
  /** Its parts: faults, books, time, open streams. */
  readonly world: World
  /** Imports a file and registers it without HTTP. @param file path, or any name where `content` is given */
  registerFile(file: string, options?: RegisterFileOptions): Promise<SandboxAsset>
  scores(): ScoreRecord[]
  /** Ends every stream and connection. */
  close(): Promise<void>
}

/** Starts the local service. @throws as `checkOptions` does, port-in-use, and as `Storage.open` where it has a folder */
export async function startSandbox(given: SandboxOptions): Promise<Sandbox> {
  const options = checkOptions(given)
  const { clock, dataDirectory } = options
  const storage = dataDirectory === undefined ? Storage.inMemory() : await Storage.open(dataDirectory, clock)
  try {
    return await start(options, storage)
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function start(options: CheckedOptions, storage: Storage): Promise<Sandbox> {
  const { host, port } = options
  const stop = new AbortController()
  // Each request that a fault delays waits for it: any number of them is no leak.
  setMaxListeners(0, stop.signal)
  const world = await createWorld(options, storage, stop.signal)
  const control = new SandboxControl(world)
  const attesterKey = defaultKey(world, 'attester')
  const submitterKey = defaultKey(world, 'submitter')
  const app = await createApp(world, control)
  try {
    await app.listen({ host, port })
  } catch (error) {
    stop.abort(error)
    await app.close()
    throw listenError(error, host, port)
  }
  const sweeping = sweepDeadlines(world)
  const url = originOf(host, (app.server.address() as { port: number }).port)
  world.log.info({ url }, 'sandbox started')
  return {
    url,
    attesterKey,
    submitterKey,
    sessionToken: world.options.sessionToken,
    wallets: world.wallets,
    registry: world.registry,
    chain: chainAccessOf(world.registry, url),
    control,
    world,
    registerFile: (file, fileOptions = {}) => registerFile(world, file, fileOptions),
    scores: () => world.scores.all(),
    close: async () => {
      stop.abort(new Error('the sandbox is closing'))
      control.cutStreams()
      await Promise.all([app.close(), sweeping])
      try {
        await storage.save(() => keptBooksOf(world))
      } finally {
        await storage.close()
      }
    },
  }
}

/** The account's key of a kind, which a folder may hold already. */
function defaultKey({ account, keys, options }: World, kind: KeyKind): SandboxKey {
  const { wallet: _, ...pair } = kind === 'attester' ? options.attesterKey : options.submitterKey
  const wallet = account[kind]
  const key = keys.find(pair.accessKey) ?? keys.create({ ...pair, kind, label: `default ${kind}`, wallet })
  return { id: key.id, accessKey: key.accessKey, signingSecret: key.signingSecret, wallet }
}

async function registerFile(world: World, file: string, options: RegisterFileOptions): Promise<SandboxAsset> {
  const content = options.content ?? (await fs.readFile(file))
  const media = await world.media.add(content, path.basename(file), options)
  const asset = world.assets.register({
    title: options.title ?? path.basename(file),
    mediaContext: options.mediaContext ?? '',
    contentType: 'auto',
    contentHash: (options.contentHash ?? media.contentHash).toLowerCase(),
    uri: options.uri ?? media.uri,
    contributorAttestationUid: media.contentHash,
    verificationDeadline: new Date(world.time.now() + (options.deadlineInMs ?? HELPER_DEADLINE_MS)).toISOString(),
    mediaType: options.mediaType ?? DEFAULT_MEDIA_TYPE,
    turnaround: options.turnaround ?? 'standard',
    ownerAddress: world.account.submitter,
  })
  await world.storage.save(() => keptBooksOf(world))
  return asset
}

/** Streams hear of a passed deadline although no request comes. */
async function sweepDeadlines(world: World): Promise<void> {
  while (!world.stopping.aborted) {
    await world.clock.sleep(DEADLINE_SWEEP_MS, world.stopping).catch(() => undefined)
    world.assets.sweep()
  }
}

const originOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

function listenError(error: unknown, host: string, port: number): AttestdError {
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
    return new AttestdError('port-in-use', `Port ${port} on ${host} is taken.`, {
      cause: error,
      fix: 'Give --port a free port, or 0 for any.',
    })
  }
  return new AttestdError('setting-invalid', `The sandbox cannot listen on ${host}: ${errorText(error)}`, {
    cause: error,
  })
}

import { onTestFinished } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import type { AttestdError } from '../../../src/core/errors.js'
import { silentLog } from '../../../src/core/log.js'
import { createMediaSource, type MediaSourceOptions } from '../../../src/media/create-media-source.js'
import type { MediaEvent } from '../../../src/media/media-event.js'
import type { MediaSource } from '../../../src/media/media-source.js'
import { folderForTest } from '../../support/temporary-folder.js'
import { TestDag } from './dag.js'
import { type GatewayFaults, TestGateway } from './test-gateway.js'

/** Runs after the test, last registered first. */
export function onEnd(cleanup: () => Promise<unknown>): void {
  onTestFinished(async () => void (await cleanup()))
}

export async function startGateway(dag: TestDag, faults: GatewayFaults = {}): Promise<TestGateway> {
  const gateway = await TestGateway.start(dag, faults)
  onEnd(() => gateway.stop())
  return gateway
}

export interface TestSource extends MediaSource {
  readonly events: MediaEvent[]
  readonly folder: string
}

/** A media source with short limits and a new cache folder. */
export async function startSource(options: Partial<MediaSourceOptions> = {}): Promise<TestSource> {
  const folder = options.cacheDir ?? (await folderForTest())
  const events: MediaEvent[] = []
  const source = await createMediaSource({
    gateways: [],
    hedgeMs: 20_000,
    maxBytes: 64 * 1024 * 1024,
    timeoutMs: 25_000,
    connections: 64,
    inFlightBytes: 512 * 1024 * 1024,
    maxRedirects: 5,
    idleMs: 20_000,
    cacheDir: folder,
    cacheBytes: 512 * 1024 * 1024,
    contentHash: 'sha256',
    clock: systemClock,
    random: () => 0.5,
    log: silentLog,
    onEvent: (event) => events.push(event),
    ...options,
  })
  onEnd(() => source.close())
  return Object.assign(source, { events, folder })
}

/** The error that a promise fails with. */
export async function failure(promise: Promise<unknown>): Promise<AttestdError> {
  try {
    await promise
  } catch (error) {
    return error as AttestdError
  }
  throw new Error('it did not fail')
}

export { TestDag }

import path from 'node:path'
import type { Clock, Random } from '../core/clock.js'
import { AttestdError, isAbort, toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { MediaType } from '../core/media-types.js'
import { type ChildOptions, DetectorChild, START_TIMEOUT_MS } from './child/child-host.js'
import { ChildPool } from './child/child-pool.js'
import { residentBytes } from './child/process-memory.js'
import type { Detection, DetectorHost, DetectorHostState, DetectorSummary, DetectRequest } from './detection.js'
import type { DetectorEventSink } from './detector-events.js'
import { type DetectorPackage, loadOrder, loadPackages, summaryOf } from './package/package-loader.js'
import { checkSelfTest, selfTestJob } from './package/self-test.js'
import { toDetection } from './scoring/to-detection.js'

const MIB = 1024 * 1024

export interface DetectorHostOptions {
  /** Folder that holds one folder per detector package. */
  readonly modelsDir: string
  /** Ids of the packages to load; empty: all. */
  readonly detectors: readonly string[]
  /** Absolute path of ffmpeg; null where there is none. */
  readonly ffmpeg: string | null
  /** Number of detector processes. */
  readonly workers: number
  /** A process that works longer on one file is killed, ms. */
  readonly timeoutMs: number
  /** A process that grows beyond this is killed while it works, replaced while it does not, MiB. */
  readonly memoryMb: number
  /** A process is replaced by a fresh one after this many files. */
  readonly jobsPerChild: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly onEvent?: DetectorEventSink
}

/**
 * Verifies the selected packages and starts the detector processes; resolves when every one has loaded the packages
 * and given each package's own sample its stated risk.
 * @throws AttestdError setting-invalid, manifest-invalid, model-digest-mismatch, detector-self-test-failed, detector-start-failed
 */
export async function createDetectorHost(options: DetectorHostOptions): Promise<DetectorHost> {
  const packages = await loadPackages(options)
  const memoryBytes = options.memoryMb * MIB
  const { clock, ffmpeg, timeoutMs } = options
  const childOptions = { packages: loadOrder(packages), memoryBytes, timeoutMs, ffmpeg, clock }
  const pool = new ChildPool({
    size: options.workers,
    memoryBytes,
    jobsPerChild: options.jobsPerChild,
    clock: options.clock,
    random: options.random,
    log: options.log,
    onEvent: options.onEvent ?? (() => {}),
    startChild: (signal) => startWarmChild(childOptions, signal),
  })
  await pool.start()
  options.log.info(
    { detectors: packages.map(({ manifest }) => manifest.id), workers: options.workers },
    'detectors were loaded and tested',
  )
  return new PooledDetectorHost(packages, pool, options)
}

async function startWarmChild(options: ChildOptions, signal: AbortSignal): Promise<DetectorChild> {
  const child = await DetectorChild.start(options, signal)
  try {
    for (const pack of options.packages) {
      // With its own limit: a first inference on a busy machine is slower than the operator's limit may allow for.
      checkSelfTest(pack, (await child.measure(selfTestJob(pack), START_TIMEOUT_MS)).measurement)
    }
    await refuseTightMemory(child, options.memoryBytes)
    return child
  } catch (error) {
    await child.kill('self-test')
    throw warmUpError(error)
  }
}

/** A cap below what a process needs at rest would kill every job; better said at the start. */
async function refuseTightMemory(child: DetectorChild, memoryBytes: number): Promise<void> {
  const rss = await residentBytes(child.pid)
  if (rss !== null && rss > memoryBytes) throw tightMemory(rss, memoryBytes)
}

function tightMemory(rss: number, memoryBytes: number): AttestdError {
  return new AttestdError(
    'setting-invalid',
    `ATTESTD_DETECTOR_MEMORY_MB is ${Math.round(memoryBytes / MIB)}, but a detector process takes ${Math.ceil(rss / MIB)} MiB before its first file. Set it to at least twice that.`,
  )
}

/** What stopped the warm-up, as a reason to stop the start: the sample itself is never at fault in the operator's eyes. */
function warmUpError(error: unknown): AttestdError {
  const cause = toAttestdError(error)
  if (cause.kind === 'setup') return cause
  if (cause.reason === 'detector-crashed' || cause.reason === 'detector-unavailable') {
    return new AttestdError('detector-start-failed', `A detector process ended while it was tested: ${cause.message}`, {
      cause,
    })
  }
  return new AttestdError('detector-self-test-failed', `A detector could not score its own sample: ${cause.message}`, {
    cause,
  })
}

class PooledDetectorHost implements DetectorHost {
  readonly detectors: readonly DetectorSummary[]
  private readonly byMediaType = new Map<MediaType, { pack: DetectorPackage; summary: DetectorSummary }>()
  /** By the monotonic clock: a stepped wall clock must not hide detectors that stopped working. */
  private lastInferenceAt: number

  constructor(
    private readonly packages: readonly DetectorPackage[],
    private readonly pool: ChildPool,
    private readonly options: DetectorHostOptions,
  ) {
    this.detectors = packages.map(summaryOf)
    for (const [index, pack] of packages.entries()) {
      const summary = this.detectors[index] as DetectorSummary
      for (const type of summary.mediaTypes) this.byMediaType.set(type, { pack, summary })
    }
    this.lastInferenceAt = options.clock.monotonic()
  }

  detectorFor(mediaType: MediaType): DetectorSummary | null {
    return this.byMediaType.get(mediaType)?.summary ?? null
  }

  async detect(request: DetectRequest, signal?: AbortSignal): Promise<Detection> {
    const pack = this.byMediaType.get(request.mediaType)?.pack
    if (pack === undefined) throw new AttestdError('detector-none', `No detector is loaded for ${request.mediaType}.`)
    const began = this.options.clock.monotonic()
    try {
      const job = { detectorId: pack.manifest.id, file: path.resolve(request.file) }
      const detection = toDetection(pack, (await this.pool.run(job, signal)).measurement)
      this.lastInferenceAt = this.options.clock.monotonic()
      this.tell(request, pack, began, 'scored', detection)
      return detection
    } catch (error) {
      if (!isAbort(error)) this.tell(request, pack, began, toAttestdError(error).reason)
      throw error
    }
  }

  async probe(signal?: AbortSignal): Promise<void> {
    for (const pack of this.packages) {
      await this.pool.run(selfTestJob(pack), signal, ({ measurement }) => checkSelfTest(pack, measurement))
      this.lastInferenceAt = this.options.clock.monotonic()
    }
  }

  state(): DetectorHostState {
    return { ...this.pool.state(), lastInferenceAgoMs: this.options.clock.monotonic() - this.lastInferenceAt }
  }

  close(): Promise<void> {
    return this.pool.close()
  }

  private tell(
    { mediaType, label }: DetectRequest,
    pack: DetectorPackage,
    began: number,
    outcome: 'scored' | AttestdError['reason'],
    detection?: Detection,
  ): void {
    const totalMs = this.options.clock.monotonic() - began
    const detectorId = pack.manifest.id
    this.options.onEvent?.({
      type: 'job-finished',
      detectorId,
      mediaType,
      outcome,
      totalMs,
      ...(detection === undefined ? {} : { elapsedMs: detection.elapsedMs }),
    })
    this.options.log.debug(
      { asset: label, detector: detectorId, outcome, totalMs: Math.round(totalMs) },
      'file was looked at',
    )
  }
}

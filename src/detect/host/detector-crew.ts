import path from 'node:path'
import { AttestdError, isAbort, isAbstention, toAttestdError } from '../../core/errors.js'
import type { MediaType } from '../../core/media-types.js'
import { unlessAborted } from '../../core/time-limit.js'
import { isCostlyFile } from '../../formats/file-cost.js'
import type { HeatMap, MeasuredFile } from '../contract/measurement.js'
import type { Detection, DetectRequest, LoadedDetector, ShadowMeasurement, ShowRequest } from '../detection.js'
import { type DetectorPackage, loadOrder, type SelectedPackage, summaryOf } from '../package/package-loader.js'
import { toDetection, withEvidence } from '../scoring/to-detection.js'
import { ChildPool, type PoolOptions } from './child-pool.js'
import { type ChildJob, type ChildOptions, DetectorProcess } from './detector-process.js'
import { type Canary, canariesOf, detectBy, isOfShare, type Lineup, lineupsOf, loadedDetectorOf } from './lineup.js'
import { checkSampleUnchanged, checkSelfTest, selfTestJob } from './self-test.js'
import { startWarmChild } from './warm-child.js'

const MIB = 1024 * 1024
/** Shadows share one process: they are measured when there is time, not in a hurry. */
const SHADOW_PROCESSES = 1

/** What the processes of one set of packages run with; a reload makes the next set with the same. */
export interface CrewOptions
  extends Pick<ChildOptions, 'authorities' | 'cage' | 'ffmpeg' | 'timeoutMs'>,
    Pick<PoolOptions, 'jobsPerChild' | 'clock' | 'random' | 'log' | 'onEvent'>,
    Pick<Detection, 'platform' | 'expectedShare'> {
  readonly workers: number
  /** Share of them that costly files keep while others wait, 0 to 1; of several processes at least one. */
  readonly costlyShare: number
  /** Bearer token for the model server of remote detectors; null where there is none. */
  readonly remoteToken: string | null
  /** A process that grows beyond this is killed while it works, replaced while it does not, MiB. */
  readonly memoryMb: number
}

/** One set of detector packages with the processes that run it: what a reload replaces as a whole. */
export class DetectorCrew {
  readonly detectors: readonly LoadedDetector[]
  readonly #lineups: ReadonlyMap<MediaType, Lineup>
  readonly #canaries: ReadonlyMap<MediaType, Canary>
  readonly #live: readonly SelectedPackage[]
  readonly #shadows: readonly SelectedPackage[]
  readonly #pool: ChildPool
  readonly #shadowPool: ChildPool | null
  readonly #closing = new AbortController()
  #lastShown: Promise<unknown> = Promise.resolve()
  readonly #away = new Set<string>()
  #started = false
  #runs = 0
  #onIdle: () => void = () => {}
  /** By the monotonic clock: a stepped wall clock must not hide detectors that stopped working. */
  #lastInferenceAt: number

  readonly #options: CrewOptions

  constructor(packages: readonly SelectedPackage[], options: CrewOptions) {
    this.#options = options
    this.detectors = packages.map(loadedDetectorOf)
    this.#lineups = lineupsOf(packages)
    this.#canaries = canariesOf(packages, this.#lineups)
    this.#live = packages.filter(({ shadow }) => !shadow)
    this.#shadows = packages.filter(({ shadow }) => shadow)
    this.#pool = this.#poolOf(this.#live, options.workers, false)
    const compared = [...this.#canaries.keys()].flatMap((type) => this.#lineups.get(type)?.members ?? [])
    const aside = [...new Set([...this.#shadows, ...compared])]
    this.#shadowPool = aside.length > 0 ? this.#poolOf(aside, SHADOW_PROCESSES, true) : null
    this.#lastInferenceAt = options.clock.monotonic()
  }

  /** Starts all processes; ends them all where one cannot start. @throws AttestdError of `startWarmChild` */
  async start(): Promise<void> {
    try {
      await Promise.all([this.#pool.start(), this.#shadowPool?.start()])
    } catch (error) {
      await this.close()
      throw error
    }
    this.#started = true
    this.#lastInferenceAt = this.#options.clock.monotonic()
  }

  /** What scores an asset: a candidate where it is of its share, else the active detectors; undefined where nothing does. */
  lineupFor(mediaType: MediaType, contentHash?: string): Lineup | undefined {
    return this.#canaryFor(mediaType, contentHash) ?? this.#lineups.get(mediaType)
  }

  async detect(request: DetectRequest, signal?: AbortSignal): Promise<Detection> {
    const lineup = present(request.mediaType, this.lineupFor(request.mediaType, request.contentHash))
    // What cannot be read is reported by the process that decodes it.
    const isCostly = await isCostlyFile(request.file, request.mediaType).catch(() => true)
    if (isCostly && request.stepAside && this.#pool.isCrowded) throw new AttestdError('detector-busy')
    const detection = await detectBy(lineup, (pack) => this.#measure(pack, request, isCostly, signal))
    return { ...detection, notes: withEvidence(detection.notes, detection.evidence) }
  }

  async show(request: ShowRequest): Promise<HeatMap | null> {
    const { members } = present(request.mediaType, this.#lineups.get(request.mediaType))
    if (request.what === 'view') return this.#showOnce(request, null)
    let firstReason: unknown
    for (const pack of members) {
      try {
        return await this.#showOnce(request, pack)
      } catch (error) {
        if (!isAbstention(error)) throw error
        firstReason ??= error
      }
    }
    throw firstReason
  }

  async shadow(request: DetectRequest, signal?: AbortSignal): Promise<ShadowMeasurement[]> {
    const { mediaType } = request
    const ofKind = this.#shadows.filter(({ manifest }) => manifest.mediaTypes.includes(mediaType))
    const shadows: Lineup[] = ofKind.map((pack) => ({ members: [pack], ensemble: null, summary: summaryOf(pack) }))
    const canary = this.#canaryFor(mediaType, request.contentHash)
    const active = canary ? this.#lineups.get(mediaType) : undefined
    const measured: ShadowMeasurement[] = []
    for (const lineup of shadows) measured.push(await this.#measuredAside(lineup, request, signal))
    if (canary && active) {
      const measurement = await this.#measuredAside(active, request, signal)
      measured.push({ ...measurement, besideCandidate: canary.summary.digest })
    }
    return measured
  }

  /** Tries every package, so that one that fails leaves no other unproved. @throws the first failure */
  async probe(signal?: AbortSignal): Promise<void> {
    const failures: unknown[] = []
    for (const pack of this.#live) await this.#probeOne(pack, signal).catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  state() {
    const lastInferenceAgoMs = this.#options.clock.monotonic() - this.#lastInferenceAt
    const { cage, timeoutMs } = this.#options
    const caged = Boolean(cage)
    return { ...this.#pool.state(), lastInferenceAgoMs, timeoutMs, unreachable: [...this.#away], caged }
  }

  /** Counts a run of this crew until it ends: `retire` waits for it. */
  async counted<T>(run: Promise<T>): Promise<T> {
    this.#runs++
    try {
      return await run
    } finally {
      this.#runs--
      if (this.#runs === 0) this.#onIdle()
    }
  }

  /** Lets what has begun end, then stops the processes. Nothing may be begun any more. */
  async retire(): Promise<void> {
    if (this.#runs > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await this.close()
  }

  async close(): Promise<void> {
    this.#closing.abort(new AttestdError('draining', 'The detector host is closing.'))
    await Promise.all([this.#pool.close(), this.#shadowPool?.close(), this.#lastShown])
  }

  /** @param by draws a heat map; null for a view */
  #showOnce({ file, mediaType, out }: ShowRequest, by: SelectedPackage | null): Promise<HeatMap | null> {
    const { signal } = this.#closing
    // After the one before, so that they take the memory of one.
    const shown = this.#lastShown.then(async () => {
      const packages = by ? loadOrder([by]) : []
      const child = await DetectorProcess.start({ ...this.#childOptions(), packages }, signal)
      const place = { file: path.resolve(file), out: path.resolve(out) }
      const work = child.show({ detectorId: by?.manifest.id ?? null, mediaType, ...place })
      return unlessAborted(work, signal).finally(() => child.kill('closed'))
    })
    this.#lastShown = shown.catch(() => {})
    return unlessAborted(shown, signal)
  }

  async #probeOne(pack: DetectorPackage, signal?: AbortSignal): Promise<void> {
    await checkSampleUnchanged(pack)
    const check = (measured: MeasuredFile) => checkSelfTest(pack, measured)
    await this.#watched(pack, this.#pool.run(selfTestJob(pack), signal, { check }))
  }

  async #measure(
    pack: DetectorPackage,
    request: DetectRequest,
    isCostly: boolean,
    signal?: AbortSignal,
  ): Promise<Detection> {
    const { clock, expectedShare, log } = this.#options
    const began = clock.monotonic()
    const { label, stepAside } = request
    const facts = { asset: label, detector: pack.manifest.id }
    const report = (outcome: 'scored' | AttestdError['reason']) =>
      log.debug({ ...facts, outcome, totalMs: Math.round(clock.monotonic() - began) }, 'file was measured')
    try {
      const job = jobOf(pack, request, expectedShare)
      const measured = await this.#watched(pack, this.#pool.run(job, signal, { isCostly, stepAside }))
      const detection = toDetection(pack, measured, this.#options)
      report('scored')
      return detection
    } catch (error) {
      if (!isAbort(error)) report(toAttestdError(error).reason)
      throw error
    }
  }

  #canaryFor(mediaType: MediaType, contentHash: string | undefined): Canary | undefined {
    const canary = this.#canaries.get(mediaType)
    return canary && contentHash !== undefined && isOfShare(contentHash, canary.percent) ? canary : undefined
  }

  async #measuredAside(lineup: Lineup, request: DetectRequest, signal?: AbortSignal): Promise<ShadowMeasurement> {
    const { clock, expectedShare } = this.#options
    const { summary: detector } = lineup
    const began = clock.monotonic()
    try {
      const detection = await detectBy(lineup, async (pack) => {
        const measured = await this.#shadowPool?.run(jobOf(pack, request, expectedShare), signal)
        if (measured === undefined) throw new AttestdError('detector-none')
        return toDetection(pack, measured, this.#options)
      })
      return { detector, detection, totalMs: clock.monotonic() - began }
    } catch (error) {
      const { reason } = toAttestdError(error)
      if (reason === 'draining' || signal?.aborted) throw error
      return { detector, reason, totalMs: clock.monotonic() - began }
    }
  }

  /** Keeps in mind when inference last worked, and whose server is away. */
  async #watched<T>(pack: DetectorPackage, work: Promise<T>): Promise<T> {
    const { id } = pack.manifest
    try {
      const answer = await work
      this.#lastInferenceAt = this.#options.clock.monotonic()
      this.#away.delete(id)
      return answer
    } catch (error) {
      if (error instanceof AttestdError && error.reason === 'detector-unreachable') this.#away.add(id)
      throw error
    }
  }

  #childOptions(): Omit<ChildOptions, 'packages'> {
    const { authorities, cage, clock, ffmpeg, memoryMb, remoteToken, timeoutMs } = this.#options
    return { authorities, cage, clock, ffmpeg, memoryBytes: memoryMb * MIB, remoteToken, timeoutMs }
  }

  #poolOf(packages: readonly SelectedPackage[], size: number, lowPriority: boolean): ChildPool {
    const { costlyShare } = this.#options
    const child = { ...this.#childOptions(), packages: loadOrder(packages), lowPriority }
    return new ChildPool({
      ...this.#options,
      size,
      costlySize: size === 1 ? 0 : Math.max(1, Math.floor(size * costlyShare)),
      memoryBytes: child.memoryBytes,
      // A shadow is never what keeps the daemon from its work.
      startChild: (signal) => startWarmChild({ ...child, serversMustAnswer: !this.#started && !lowPriority }, signal),
    })
  }
}

function jobOf({ manifest }: DetectorPackage, { file }: DetectRequest, probe: number): ChildJob {
  return { detectorId: manifest.id, file: path.resolve(file), probe, evidence: true }
}

function present(mediaType: MediaType, lineup: Lineup | undefined): Lineup {
  if (lineup) return lineup
  throw new AttestdError('detector-none', `No detector is loaded for ${mediaType}.`)
}

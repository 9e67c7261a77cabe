import { AttestdError } from '../../core/errors.js'
import type { MediaType } from '../../core/media-types.js'
import type { HeatMap } from '../contract/measurement.js'
import type {
  Detection,
  DetectorHost,
  DetectorHostState,
  DetectRequest,
  LoadedDetector,
  ShadowMeasurement,
  ShowRequest,
} from '../detection.js'
import type { DetectorEventSink } from '../detector-events.js'
import type { DetectorSummary } from '../package/detector-summary.js'
import { loadOrder, loadPackages, type SelectedPackage } from '../package/package-loader.js'
import { checkTokenServers } from '../package/remote-servers.js'
import type { DetectorChoice } from '../package/selection.js'
import { type CrewOptions, DetectorCrew } from './detector-crew.js'

/** The detector host's part of the settings; limits on processes are those of `CrewOptions`. */
export interface DetectorHostOptions extends Omit<CrewOptions, 'onEvent' | 'remoteToken'> {
  /** Folder that holds one folder per detector package. */
  readonly modelsDir: string
  /** The packages to load; empty: all but variants of others. */
  readonly detectors: readonly DetectorChoice[]
  /** The one kind of media that will be asked for: packages of others are verified, but not loaded. @default every kind */
  readonly mediaType?: MediaType
  /** Bearer token for the model server of remote detectors. @default none */
  readonly remoteToken?: string | undefined
  readonly onEvent?: DetectorEventSink
  /** Looks at the packages before any process is started, at the start and at each reload; refuses by throwing. */
  readonly admit?: (packages: readonly SelectedPackage[]) => Promise<void>
}

/**
 * Verifies the selected packages and starts the detector processes; resolves when every one has loaded the packages
 * and given each package's own sample its stated risk.
 * @throws AttestdError setting-invalid, manifest-invalid, model-digest-mismatch, detector-self-test-failed, detector-start-failed, detector-start-timeout
 */
export async function createDetectorHost(options: DetectorHostOptions): Promise<DetectorHost> {
  const host = new ReloadableDetectorHost(options)
  await host.reload()
  return host
}

class ReloadableDetectorHost implements DetectorHost {
  #crew: DetectorCrew | null = null
  /** All that have processes: the present one, one that is starting, and those that end their last files. */
  readonly #crews = new Set<DetectorCrew>()
  readonly platform: string
  readonly expectedShare: number
  #choice: DetectorHostOptions['detectors']
  #reloading: Promise<void> = Promise.resolve()
  #closed = false

  readonly #options: DetectorHostOptions

  constructor(options: DetectorHostOptions) {
    this.#options = options
    this.platform = options.platform
    this.expectedShare = options.expectedShare
    this.#choice = options.detectors
  }

  get detectors(): readonly LoadedDetector[] {
    return this.#present.detectors
  }

  detectorFor(mediaType: MediaType, contentHash?: string): DetectorSummary | null {
    return this.#present.lineupFor(mediaType, contentHash)?.summary ?? null
  }

  detect(request: DetectRequest, signal?: AbortSignal): Promise<Detection> {
    const crew = this.#present
    return crew.counted(crew.detect(request, signal))
  }

  shadow(request: DetectRequest, signal?: AbortSignal): Promise<readonly ShadowMeasurement[]> {
    const crew = this.#present
    return crew.counted(crew.shadow(request, signal))
  }

  show(request: ShowRequest): Promise<HeatMap | null> {
    const crew = this.#present
    return crew.counted(crew.show(request))
  }

  probe(signal?: AbortSignal): Promise<void> {
    const crew = this.#present
    return crew.counted(crew.probe(signal))
  }

  reload(detectors?: DetectorHostOptions['detectors']): Promise<void> {
    // One after the other: each must see the outcome of the one before.
    const reload = this.#reloading.then(() => this.#replace(detectors ?? this.#choice))
    this.#reloading = reload.catch(() => {})
    return reload
  }

  state(): DetectorHostState {
    return this.#present.state()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#crews].map((crew) => crew.close()))
    await this.#reloading
  }

  get #present(): DetectorCrew {
    if (this.#crew === null) throw new AttestdError('detector-unavailable')
    return this.#crew
  }

  async #replace(detectors: DetectorHostOptions['detectors']): Promise<void> {
    const { admit, log, mediaType, modelsDir, remoteToken = null, workers } = this.#options
    const selected = await loadPackages({ modelsDir, detectors })
    const packages = selected.filter(({ manifest }) => !mediaType || manifest.mediaTypes.includes(mediaType))
    checkTokenServers(loadOrder(packages), remoteToken)
    await admit?.(packages)
    if (this.#closed) throw new AttestdError('draining', 'The detector host is closing.')
    const next = new DetectorCrew(packages, {
      ...this.#options,
      remoteToken,
      onEvent: this.#options.onEvent ?? (() => {}),
    })
    this.#crews.add(next)
    for (const { manifest } of packages)
      log.info({ detector: `${manifest.id}@${manifest.version}` }, 'loading detector')
    try {
      await next.start()
    } catch (error) {
      this.#crews.delete(next)
      throw error
    }
    const old = this.#crew
    this.#crew = next
    this.#choice = detectors
    log.info(
      { detectors: next.detectors.map(stated), workers, caged: next.state().caged },
      old ? 'detectors were replaced' : 'detectors were loaded and tested',
    )
    this.#options.onEvent?.({ type: 'detectors-loaded', detectors: next.detectors, before: old?.detectors ?? [] })
    if (old) void this.#retire(old)
  }

  async #retire(crew: DetectorCrew): Promise<void> {
    await crew.retire()
    this.#crews.delete(crew)
  }
}

const stated = ({ id, version, digest, shadow, canary }: LoadedDetector): string =>
  `${id}@${version} ${digest.slice(0, 12)}${shadow ? ' (shadow)' : ''}${canary === undefined ? '' : ` (canary, ${canary} %)`}`

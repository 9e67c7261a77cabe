import { freeBytes } from '../../core/disk/free-space.js'
import { toAttestdError } from '../../core/errors.js'
import type { DetectorHost } from '../../detect/detection.js'
import type { MediaSource } from '../../media/media-source.js'
import { analyze } from '../../pipeline/analyze.js'
import { freeAbstained } from '../../pipeline/other-detector.js'
import { retryForDetectors } from '../../pipeline/retry-failed.js'
import { ShadowLine } from '../../pipeline/shadow-line.js'
import { VerdictStore } from '../../pipeline/verdict-store.js'
import { tryWriting } from '../data-dir.js'
import { openMedia } from '../open/open-media.js'
import { countMediaEvent } from '../open/room-events.js'
import type { DaemonParts } from '../parts.js'
import { DiskRest } from './disk-rest.js'
import { KindWorkers } from './kind-workers.js'

/** Without live work a real inference is made this often, ms: well within the minute that readiness demands. */
const PROBE_EVERY_MS = 20_000

/** The role that turns assets into verdicts. */
export interface Analysis {
  readonly detectors: DetectorHost
  readonly verdicts: VerdictStore
  readonly media: MediaSource
  readonly workers: KindWorkers
  readonly disk: DiskRest
  /** Keeps the proof fresh that inference works, until the signal aborts. */
  probe(signal: AbortSignal): Promise<void>
  /**
   * Gives the files that other detectors failed on or abstained from to those in use now; a failure is logged.
   * @returns ids of the assets that intake must offer again
   */
  retryFailed(): Promise<readonly string[]>
}

/** Opens the media source, and takes jobs of kinds that have a detector. @param closers gets what closes each part */
export async function startAnalysis(
  parts: DaemonParts,
  detectors: DetectorHost,
  closers: (() => Promise<unknown>)[],
): Promise<Analysis> {
  const { clock, log, metrics, paths, queue, report, settings } = parts
  const media = await openMedia(settings, {
    cacheDir: paths.cache,
    log,
    onEvent: countMediaEvent(metrics),
  })
  closers.push(() => media.close())
  const verdicts = new VerdictStore(paths.verdicts, queue.texts, settings.verdictBytes)
  const { unsurePolicy } = settings
  const events = report.pipeline
  const shadows = new ShadowLine({ detectors, unsurePolicy, clock, log, events })
  closers.push(() => shadows.stop())
  const needs = { media, detectors, verdicts, shadows, queue, unsurePolicy, clock, log, events }
  const disk = new DiskRest({
    tryWriting: () => tryWriting(paths.cache),
    free: () => freeBytes(paths.cache),
    workers: () => workers,
    clock,
    log,
  })
  closers.push(async () => disk.stop())
  const processor = disk.watched(analyze(needs))
  const workers = new KindWorkers(detectors, (name) => queue.work(name, processor, report.worker), clock)
  await workers.follow()
  const retryFailed = () => retryByThese(detectors, parts)
  return {
    detectors,
    media,
    verdicts,
    workers,
    disk,
    probe: (signal) => probeInference(detectors, parts, signal),
    retryFailed,
  }
}

async function retryByThese(detectors: DetectorHost, { clock, log, queue }: DaemonParts): Promise<string[]> {
  try {
    const jobs = await retryForDetectors(queue, detectors, clock.now())
    if (jobs > 0) log.info({ jobs }, 'detectors changed, retrying failed jobs')
    const freed = await freeAbstained(queue, detectors)
    if (freed.length > 0) log.info({ jobs: freed.length }, 'detectors changed, re-analyzing abstained assets')
    return freed
  } catch (error) {
    log.warn({ reason: toAttestdError(error).reason, err: error }, 'the ended jobs could not be read')
    return []
  }
}

/** Keeps the proof fresh that inference works, by the package's own sample, while there is no live work. */
async function probeInference(
  detectors: DetectorHost,
  { clock, log }: DaemonParts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { lastInferenceAgoMs, unreachable } = detectors.state()
    // A model server that was away is asked again even while other detectors have work.
    if (lastInferenceAgoMs >= PROBE_EVERY_MS || unreachable.length > 0) {
      await detectors.probe(signal).catch((error) => {
        if (!signal.aborted) log.warn({ reason: toAttestdError(error).reason, err: error }, 'inference probe failed')
      })
    }
    await clock.sleep(PROBE_EVERY_MS / 2, signal).catch(() => {})
  }
}

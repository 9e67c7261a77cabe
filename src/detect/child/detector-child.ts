// oxlint-disable-next-line no-restricted-imports -- the entry of a process has nobody above it that passes one in
import { systemClock } from '../../core/clock.js'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import type { ChildDetector } from '../contract/child-detector.js'
import { errorMessage, type FromChild, type ToChild, toChildSchema } from '../contract/child-messages.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import { ParserWatch } from '../contract/parser-watch.js'
import { StageWatch } from '../contract/stage-watch.js'
import { EvidenceReader } from '../evidence/evidence-reader.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { usedBy } from '../package/used-packages.js'
import { loadChildDetector } from './load-child-detector.js'

// Entry of a detector process: decodes and infers, one file at a time, for the parent that forked it.

const detectors = new Map<string, ChildDetector>()
const evidenceReader = new EvidenceReader(systemClock)
/** Comes with the packages. */
let tools: ReaderTools
const parsers = new ParserWatch(systemClock, (isParsing) => send({ type: 'parsing', jobId: currentJob, isParsing }))
/** One at a time. */
let currentJob = 0

function send(message: FromChild): void {
  process.send?.(message)
}

async function load({ packages, tools: limits, remoteToken }: Extract<ToChild, { type: 'load' }>): Promise<void> {
  tools = { ...limits, clock: systemClock, parsers }
  const loadTools = tools
  try {
    // Side by side: networks are built by their own threads.
    const loading = new Map<string, Promise<unknown>>()
    const loadOne = async (pack: DetectorPackage) => {
      await Promise.all(usedBy(pack.manifest).map(({ id }) => loading.get(id)))
      detectors.set(pack.manifest.id, await loadChildDetector(pack, loadTools, detectors, remoteToken))
    }
    for (const pack of packages) loading.set(pack.manifest.id, loadOne(pack))
    await Promise.all(loading.values())
    // What networks were read and unpacked into, twice their size, would stay until so much is in use again.
    globalThis.gc?.()
    send({ type: 'loaded' })
  } catch (error) {
    send({ type: 'refused', ...errorMessage(toAttestdError(error)) })
  }
}

async function measure({
  jobId,
  detectorId,
  file,
  heatMap,
  view,
  probe,
  evidence,
}: Extract<ToChild, { type: 'measure' }>): Promise<void> {
  currentJob = jobId
  try {
    const detector = detectors.get(detectorId)
    if (detector === undefined) throw new Error(`no detector ${detectorId} is loaded`)
    const measurement = await detector.measure(file, { heatMap, probe })
    if (heatMap !== undefined && measurement.heatMap === undefined)
      throw new AttestdError('media-unsupported', `The detector ${detectorId} draws no heat map of this kind of media.`)
    if (view !== undefined) {
      const { writeView } = await import('./view.js')
      await writeView(file, view, tools)
    }
    send({ type: 'measured', jobId, rssBytes: process.memoryUsage.rss(), measurement })
  } catch (error) {
    send({ type: 'failed', jobId, rssBytes: process.memoryUsage.rss(), ...errorMessage(toAttestdError(error)) })
    return
  }
  await sendEvidence(jobId, evidence ? file : null)
}

/**
 * What the file states about itself, whichever detector measured it.
 * @param file null where nobody asks: the readers are loaded for the first that somebody does
 */
async function sendEvidence(jobId: number, file: string | null): Promise<void> {
  const watch = new StageWatch()
  const evidence = file === null ? null : await watch.during('evidence', () => evidenceReader.read(file))
  const processorMs = watch.ms.evidence ?? 0
  send({
    type: 'evidence',
    jobId,
    rssBytes: process.memoryUsage.rss(),
    evidence: evidence && [...evidence],
    processorMs,
  })
}

// Ctrl-C and a service manager signal the whole group; the parent decides when a child ends, so that a drain can finish.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// The parent is gone, however it died. SIGKILL, because a normal exit would wait for a decode that still runs.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (raw) => {
  const message = toChildSchema.parse(raw)
  void (message.type === 'load' ? load(message) : measure(message))
})
send({ type: 'hello' })

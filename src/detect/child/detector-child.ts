import { Socket } from 'node:net'
// oxlint-disable-next-line no-restricted-imports -- the entry of a process has nobody above it that passes one in
import { systemClock } from '../../core/clock.js'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import { waitForSlowAddresses } from '../../core/net/connection-attempts.js'
import type { ChildDetector } from '../contract/child-detector.js'
import { errorMessage, type FromChild, type Question, type ToChild, toChildSchema } from '../contract/child-messages.js'
import { CHANNEL_FD, readJsonLines, writeJsonLine } from '../contract/json-lines.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import { ParserWatch } from '../contract/parser-watch.js'
import { StageWatch } from '../contract/stage-watch.js'
import { EvidenceReader } from '../evidence/evidence-reader.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { usedBy } from '../package/used-packages.js'
import { tensorsOf } from '../runtimes/onnx-model.js'
import { loadChildDetector } from './load-child-detector.js'

// Entry of a detector process: decodes and infers, one file at a time, for the parent that started it.

waitForSlowAddresses()
const channel = new Socket({ fd: CHANNEL_FD })
const detectors = new Map<string, ChildDetector>()
const evidenceReader = new EvidenceReader(systemClock)
/** Comes with the packages. */
let tools: ReaderTools
const parsers = new ParserWatch(systemClock, (isParsing) => send({ type: 'parsing', jobId: currentJob, isParsing }))
/** One at a time. */
let currentJob = 0

function send(message: FromChild): void {
  writeJsonLine(channel, message)
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

async function answer(question: Question): Promise<void> {
  const { jobId } = question
  currentJob = jobId
  const given = await resultOf(question).catch((error: unknown) => {
    return { type: 'failed' as const, ...errorMessage(toAttestdError(error)) }
  })
  send({ ...given, jobId, rssBytes: process.memoryUsage.rss() })
}

async function resultOf(question: Question) {
  const { file, type } = question
  if (type === 'evidence') return evidenceOf(file)
  if (type === 'open') return { type: 'opened' as const, tensors: await tensorsOf(file) }
  if (type === 'measure') {
    return {
      type: 'measured' as const,
      measurement: await detectorNamed(question.detectorId).measure(file, question.probe),
    }
  }
  const { detectorId, out } = question
  if (detectorId === null) {
    const { writeView } = await import('./view.js')
    await writeView(file, question, tools)
    return { type: 'shown' as const, heatMap: null }
  }
  const { drawHeatMap } = detectorNamed(detectorId)
  if (drawHeatMap) return { type: 'shown' as const, heatMap: await drawHeatMap(file, out) }
  throw new AttestdError('media-unsupported', `The detector ${detectorId} draws no heat map of this kind of media.`)
}

function detectorNamed(id: string): ChildDetector {
  const detector = detectors.get(id)
  if (detector === undefined) throw new Error(`no detector ${id} is loaded`)
  return detector
}

/** What the file states about itself, whichever detector measured it; null where it could not be read within its limits. */
async function evidenceOf(file: string) {
  const watch = new StageWatch()
  const evidence = await watch.during('evidence', () => evidenceReader.read(file))
  return { type: 'evidence' as const, evidence: evidence && [...evidence], processorMs: watch.ms.evidence ?? 0 }
}

// Ctrl-C and a service manager signal the whole group; the parent decides when a child ends, so that a drain can finish.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// The parent is gone, however it died. SIGKILL, because a normal exit would wait for a decode that still runs.
channel.on('close', () => process.kill(process.pid, 'SIGKILL'))
readJsonLines(channel, (raw) => {
  const message = toChildSchema.parse(raw)
  void (message.type === 'load' ? load(message) : answer(message))
})
send({ type: 'hello' })

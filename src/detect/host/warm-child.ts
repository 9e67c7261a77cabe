import os from 'node:os'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { type ChildOptions, DetectorProcess, START_TIMEOUT_MS } from './detector-process.js'
import { residentBytes } from './memory-limit.js'
import { checkSelfTest, selfTestJob } from './self-test.js'

const MIB = 1024 * 1024

/** `ChildOptions`, and how strict a start is; shadows run at low priority. */
export interface WarmChildOptions extends ChildOptions {
  /** Whether the process takes the processor only while nothing else wants it. */
  readonly lowPriority: boolean
  /** Whether a model server must answer now; one that is away later must not keep the other detectors from starting. */
  readonly serversMustAnswer: boolean
}

/**
 * Starts a detector process that has loaded the packages and given each package's own sample its stated risk.
 * @throws AttestdError setting-invalid, manifest-invalid, model-digest-mismatch, detector-self-test-failed, detector-start-failed, detector-start-timeout, detector-unreachable, media-cache-failed
 */
export async function startWarmChild(options: WarmChildOptions, signal: AbortSignal): Promise<DetectorProcess> {
  const child = await DetectorProcess.start(options, signal).catch((error: unknown) => {
    throw isOutOfMemory(error) ? tightMemory('more', options) : error
  })
  try {
    if (options.lowPriority) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW)
    for (const pack of options.packages) await testOnSample(child, pack, options.serversMustAnswer)
    await refuseTightMemory(child, options)
    return child
  } catch (error) {
    await child.kill('self-test')
    throw isOutOfMemory(error) ? tightMemory('more', options) : warmUpError(error)
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof AttestdError && error.reason === 'detector-out-of-memory'

async function testOnSample(child: DetectorProcess, pack: DetectorPackage, serversMustAnswer: boolean): Promise<void> {
  try {
    // With its own limit: a first inference on a busy machine is slower than the operator's limit may allow for.
    checkSelfTest(pack, await child.measure(selfTestJob(pack), START_TIMEOUT_MS))
  } catch (error) {
    const { reason, message } = toAttestdError(error)
    if (reason !== 'detector-unreachable') throw error
    if (serversMustAnswer)
      throw new AttestdError(reason, `The detector ${pack.manifest.id} cannot start: ${message}`, { cause: error })
  }
}

/** A cap below what a process needs at rest would kill every job; better stated at the start. */
async function refuseTightMemory(child: DetectorProcess, options: WarmChildOptions): Promise<void> {
  const rss = await residentBytes(child.pid)
  if (rss !== null && rss > options.memoryBytes) throw tightMemory(`${Math.ceil(rss / MIB)} MiB`, options)
}

/** @param taken by the process, for the message */
function tightMemory(taken: string, { memoryBytes, packages }: WarmChildOptions): AttestdError {
  const ids = packages.map(({ manifest }) => manifest.id).join(', ')
  return new AttestdError(
    'setting-invalid',
    `ATTESTD_DETECTOR_MEMORY_MB is ${Math.round(memoryBytes / MIB)}, but a detector process uses ${taken} before its first file, with ${ids}. Set it to at least twice what they need, or remove a package that should not need as much.`,
  )
}

/** What stopped the warm-up, as a reason to stop the start: the sample itself is never at fault in the operator's eyes. */
function warmUpError(error: unknown): AttestdError {
  const cause = toAttestdError(error)
  // A disk without room for the sample passes: it is no fault of the package.
  if (cause.kind === 'setup' || cause.reason === 'detector-unreachable' || cause.reason === 'media-cache-failed')
    return cause
  if (
    cause.reason === 'detector-crashed' ||
    cause.reason === 'detector-killed' ||
    cause.reason === 'detector-unavailable'
  ) {
    return new AttestdError('detector-start-failed', `A detector process ended while it was tested: ${cause.message}`, {
      cause,
    })
  }
  if (cause.reason === 'detector-timeout') return new AttestdError('detector-start-timeout', undefined, { cause })
  return new AttestdError('detector-self-test-failed', `A detector could not score its own sample: ${cause.message}`, {
    cause,
  })
}

import { median } from '../../core/arrays.js'
import type { Measurement } from '../../detect/contract/measurement.js'
import { type ChildOptions, DetectorProcess } from '../../detect/host/detector-process.js'
import { selfTestJob } from '../../detect/host/self-test.js'
import { startWarmChild } from '../../detect/host/warm-child.js'
import { EVEN_ODDS } from '../../detect/package/calibration-schema.js'
import type { DetectorPackage } from '../../detect/package/package-loader.js'

/** The cost and the result of a package's own sample in a separate detector process. */
export interface SampleMeasurement {
  readonly measurement: Measurement
  /** From the job to the answer, median, ms. */
  readonly medianMs: number
  /** Start of the process and loading of the model, ms. */
  readonly startMs: number
  /** Resident memory of the process after the last inference, bytes. */
  readonly rssBytes: number
}

/** How a detector process of the lab is started; the signal ends the start. */
export interface Measuring extends Omit<ChildOptions, 'packages'> {
  readonly signal: AbortSignal
}

export interface MeasureSampleOptions extends Measuring {
  /** Inferences that the median is taken of. */
  readonly times: number
  /** Whether the sample must have the risk that the manifest states, and the process fit into its memory. @default false */
  readonly tested?: boolean
}

/**
 * Runs a package's own sample in a fresh process.
 * @param packages the package and those it uses, in the order in which they are loaded; the last one is measured
 * @throws AttestdError what loading or measuring gives
 */
export async function measureSample(
  packages: readonly DetectorPackage[],
  { times, signal, tested = false, ...options }: MeasureSampleOptions,
): Promise<SampleMeasurement> {
  const { clock } = options
  const began = clock.monotonic()
  const child = tested
    ? await startWarmChild({ ...options, packages, lowPriority: false, serversMustAnswer: true }, signal)
    : await DetectorProcess.start({ ...options, packages }, signal)
  try {
    const startMs = clock.monotonic() - began
    const job = { ...selfTestJob(packages.at(-1) as DetectorPackage), probe: EVEN_ODDS }
    // The first inference warms the process up and is no measure of the others.
    let measurement = await child.measure(job)
    const milliseconds: number[] = []
    for (let time = 0; time < times; time++) {
      const at = clock.monotonic()
      measurement = await child.measure(job)
      milliseconds.push(clock.monotonic() - at)
    }
    return { measurement, medianMs: median(milliseconds), startMs, rssBytes: child.rssBytes }
  } finally {
    await child.kill('closed')
  }
}

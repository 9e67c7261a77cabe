import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MAPPED_BYTES } from '../../../src/detect/host/memory-limit.js'
import { DetectorBench, detectorChildren, factOf, hasProc } from '../../support/detector-bench.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { bloatedOnnx } from '../../support/detector-tiny-onnx.js'

const MIB = 1024 ** 2
const CAP_MB = 700
/** What the kernel lets a process map beyond its cap, and the program with its libraries, which are files. */
const MARGIN_MB = MAPPED_BYTES / MIB + 128

const bench = DetectorBench.forEach()

/** Starts a host and reads what its processes take meanwhile at most, MiB. */
async function startWatched(): Promise<{ error: unknown; peakMb: number }> {
  let peakMb = 0
  const read = () => {
    for (const pid of detectorChildren()) {
      const [, kilobytes = 0] = /^VmHWM:\s+(\d+) kB$/m.exec(factOf(pid, 'status')) ?? []
      peakMb = Math.max(peakMb, Number(kilobytes) / 1024)
    }
  }
  const reading = setInterval(read, 5)
  const error = await bench.start({ memoryMb: CAP_MB }).catch((cause: unknown) => cause)
  clearInterval(reading)
  return { error, peakMb }
}

describe.skipIf(!hasProc)('a package that takes too much memory while loading', () => {
  it('is refused where it unpacks to 1 GiB, before it takes that much', async () => {
    const model = gzipSync(Buffer.alloc(1024 * MIB), { level: 1 })
    await writeTinyPackage(bench.modelsDir, { model, packed: true })
    const { error, peakMb } = await startWatched()
    expect(error).toMatchObject({
      reason: 'manifest-invalid',
      message: expect.stringMatching(/model.onnx.gz of tiny-image cannot be unpacked/),
    })
    expect(peakMb).toBeLessThan(CAP_MB + MARGIN_MB)
  })

  it.each([
    ['that the kernel refuses', 3e9],
    ['that the watch sees', 2.4e8],
  ])('is refused by name where its network makes a constant %s', async (_, size) => {
    await writeTinyPackage(bench.modelsDir, { model: bloatedOnnx(size) })
    const { error, peakMb } = await startWatched()
    const message =
      /ATTESTD_DETECTOR_MEMORY_MB is 700, but a detector process uses more before its first file, with tiny-image/
    expect(error).toMatchObject({ reason: 'setting-invalid', kind: 'setup', message: expect.stringMatching(message) })
    expect(peakMb).toBeGreaterThan(0)
    expect(peakMb).toBeLessThan(CAP_MB + MARGIN_MB)
  })
})

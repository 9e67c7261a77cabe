import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findProgram } from '../../../src/app/open/find-program.js'
import { openCage } from '../../../src/app/open/open-cage.js'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import { type Certificates, makeCertificates } from '../../support/certificates.js'
import { DetectorBench, hasProc } from '../../support/detector-bench.js'
import { noise } from '../../support/detector-images.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { MODEL, ModelServer } from '../../support/model-server.js'
import { writeRemotePackage } from '../../support/other-packages.js'
import { withReason } from '../../support/with-reason.js'

const image = (file: string) => ({ file, mediaType: 'image' as const })

const CLASSES = { outputKind: 'class-logits', fakeClasses: [1] }

const { cage: possible } = await openCage({ detectorCage: 'auto' })

const hasOpenssl = (await findProgram('openssl')) !== null

const bench = DetectorBench.forEach()
let server: ModelServer
beforeEach(async () => {
  server = await ModelServer.start({ binary: true })
})
afterEach(() => server.close())

describe('a remote detector', () => {
  it('scores like the same network here, after a self-test over the wire', async () => {
    await writeRemotePackage(bench.modelsDir, 'far', server.url)
    await writeTinyPackage(bench.modelsDir, { id: 'near' })
    const far = await bench.start({ detectors: [{ id: 'far' }] })
    expect(server.inferences).toHaveLength(5)
    const near = await bench.start({ detectors: [{ id: 'near' }] })
    const file = await bench.write('noise.png', await noise().png().toBuffer())
    const [there, here] = [await far.detect(image(file)), await near.detect(image(file))]
    expect(there.rawScore).toBeCloseTo(here.rawScore, 4)
    expect((await far.detect(image(file))).rawScore).toBe(there.rawScore)
  })

  it('whose server is unreachable at the start ends the start, and is named', async () => {
    const { url } = server
    await writeRemotePackage(bench.modelsDir, 'far', url)
    await server.close()
    await expect(bench.start()).rejects.toMatchObject({
      reason: 'detector-unreachable',
      kind: 'retry',
      message: `The detector far cannot start: The model server ${url} of far (model tiny) cannot be reached (connect ECONNREFUSED ${url.slice(7)}).`,
    })
  })

  it('that is a shadow does not end the start with its unreachable server', async () => {
    await writeRemotePackage(bench.modelsDir, 'far', server.url)
    await writeTinyPackage(bench.modelsDir, { id: 'near' })
    await server.close()
    const host = await bench.start({ detectors: [{ id: 'near' }, { id: 'far', shadow: true }] })
    const file = await bench.write('noise.png', await noise().png().toBuffer())
    expect(await host.shadow(image(file))).toMatchObject([{ detector: { id: 'far' }, reason: 'detector-unreachable' }])
    expect(await host.detect(image(file))).toMatchObject({ detectorId: 'near' })
    expect(host.state().unreachable).toEqual([])
  })

  it('whose server has a model of other classes fails its files, and scores again with the right one', async () => {
    const says = (...data: number[]) => {
      const output = { name: 'logit', datatype: 'FP32', shape: [1, data.length], data }
      server.misbehavior = { kind: 'body', body: JSON.stringify({ outputs: [output] }) }
    }
    server.metadata = {
      name: MODEL,
      inputs: [{ name: 'pixels', datatype: 'FP32', shape: [-1, 3, -1, -1] }],
      outputs: [{ name: 'logit', datatype: 'FP32', shape: [-1, -1] }],
    }
    says(0, 1)
    const selfTest = { file: 'selftest.png', risk: sigmoid(1), tolerance: 0.001 }
    await writeRemotePackage(bench.modelsDir, 'far', server.url, {}, { ...CLASSES, selfTest })
    const host = await bench.start({ detectors: [{ id: 'far' }] })
    const file = await bench.write('noise.png', await noise().png().toBuffer())
    says(0, 1, 0, 0)
    await expect(host.detect(image(file))).rejects.toThrow(withReason('detector-failed', /returned 4 classes, not 2/))
    says(0, 1)
    expect((await host.detect(image(file))).rawScore).toBeCloseTo(1, 6)
  })

  it('whose server is unreachable has its files retried, delays no other, and resumes afterwards', async () => {
    await writeRemotePackage(bench.modelsDir, 'far', server.url)
    await writeTinyPackage(bench.modelsDir, { id: 'near' })
    const host = await bench.start({ detectors: [{ id: 'far' }] })
    const file = await bench.write('noise.png', await noise().png().toBuffer())
    const before = await host.detect(image(file))
    const { port } = server
    await server.close()
    await expect(host.detect(image(file))).rejects.toMatchObject({ reason: 'detector-unreachable', kind: 'retry' })
    expect(host.state().unreachable).toEqual(['far'])
    await expect(host.probe()).rejects.toMatchObject({ reason: 'detector-unreachable' })
    expect(bench.all('child-stopped')).toEqual([])
    // A process that must be replaced meanwhile starts all the same.
    process.kill(bench.all('child-started')[0]?.pid as number, 'SIGKILL')
    await expect.poll(() => bench.all('child-started').length).toBe(2)
    server = await ModelServer.start({ binary: true, port })
    await host.probe()
    expect(host.state().unreachable).toEqual([])
    expect((await host.detect(image(file))).rawScore).toBe(before.rawScore)
  })
})

describe.skipIf(!hasOpenssl)('a model server with a certificate by a private authority', () => {
  let certificates: Certificates
  beforeEach(async () => {
    await server.close()
    certificates = makeCertificates(bench.folder)
    server = await ModelServer.start({ binary: true, certificates })
    await writeRemotePackage(bench.modelsDir, 'far', server.url)
  })

  it('is refused, with the fix', async () => {
    await expect(bench.start()).rejects.toThrow(
      withReason('detector-unreachable', /certificate.*NODE_EXTRA_CA_CERTS=FILE/),
    )
  })

  it.each([
    ['a process', null],
    ['a caged process', possible],
  ])('is used by %s that gets the authority', async (_, cage) => {
    await bench.start({ cage, authorities: certificates.ca })
    expect(server.inferences.length).toBeGreaterThan(0)
  })
})

describe('the token of remote detectors', () => {
  it('is sent with every request, and is in no environment and no command line', async () => {
    await writeRemotePackage(bench.modelsDir, 'far', server.url)
    await bench.start({ remoteToken: 'secret-token' })
    expect(new Set(server.asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret-token']))
    const { pid } = bench.all('child-started')[0]!
    for (const name of hasProc ? ['environ', 'cmdline'] : [])
      expect(await readFile(`/proc/${pid}/${name}`, 'utf8')).not.toContain('secret')
  })

  it('is not sent to another machine unencrypted', async () => {
    await writeRemotePackage(bench.modelsDir, 'far', 'http://models.example:8000')
    await expect(bench.start({ remoteToken: 'secret-token' })).rejects.toThrow(
      withReason('setting-invalid', 'would be sent unencrypted to http://models.example:8000'),
    )
  })
})

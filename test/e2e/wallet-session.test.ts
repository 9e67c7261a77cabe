import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSamples } from '../../src/app/samples.js'
import { packagePath } from '../../src/core/files.js'
import { anvil, anvilFor } from '../support/anvil.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { PATIENT } from '../support/daemon-bench.js'
import { ffmpeg } from '../support/ffmpeg-tool.js'
import { textsBelow } from '../support/files-below.js'
import { recoverOnChain } from '../support/recover-on-chain.js'
import { WireRecorder } from '../support/wire-recorder.js'

/** One of each kind of media that the packages of this repository judge. */
const SAMPLES = [
  'moose.jpg',
  'espeak-weather.mp3',
  'northanger-abbey.txt',
  ...(ffmpeg === null ? [] : ['coffee-pan.webm']),
]

describe('the daemon on a wallet-session service', () => {
  it('scores every kind of media once, each with an attestation from which the EVM recovers its wallet', async (context) => {
    const bench = await benchOfTest({ api: 'wallet-session' })
    const samples = (await readSamples()).filter(({ file }) => SAMPLES.includes(file))
    for (const { path: file, title, mediaType } of samples) {
      await bench.sandbox.registerFile(file, { title, mediaType })
    }
    const daemon = bench.startHere({ ATTESTD_MODELS_DIR: packagePath('models') })
    await bench.expectExactlyOneEach()
    const scores = bench.sandbox.scores()
    expect(scores).toHaveLength(samples.length)
    const { address } = bench.sandbox.wallets.attester
    expect(scores.map(({ attesterAddress }) => attesterAddress)).toEqual(samples.map(() => address))
    expect(await daemon.drain()).toBe(0)
    context.skip(anvil === null, 'no anvil here')
    const { rpcUrl } = await anvilFor(context, { keys: 0 })
    for (const { attestation } of scores) {
      const onChain = await recoverOnChain(rpcUrl, attestation!)
      expect(onChain.signer.toLowerCase()).toBe(address)
      expect(onChain.uid).toBe(attestation!.uid)
    }
  })

  it('pauses submission below the minimum stake, and resumes after a top-up', async () => {
    const bench = await benchOfTest({ api: 'wallet-session' })
    bench.sandbox.control.setStake({ stakedWei: 1n })
    await bench.registerMany(2, 'stake')
    const daemon = bench.startHere({ ...PATIENT, ATTESTD_LOG_LEVEL: 'debug' })
    // At once, without a time of not knowing.
    expect((await daemon.get('/readyz')).text).toContain('stake-low')
    const told = daemon.log.filter(({ level, reason }) => level === 'warn' && reason === 'stake-low')
    expect(told).toMatchObject([{ msg: 'stake was below the minimum; submission was paused' }])
    expect(daemon.output).not.toContain('stake-unknown')
    expect(bench.sandbox.world.scores.attempts()).toEqual([])
    bench.sandbox.control.setStake({ stakedWei: 10n ** 19n })
    await bench.expectExactlyOneEach()
    expect(await daemon.metric('attestd_scores_total', 'how="accepted"')).toBe(2)
  })

  it('writes neither its key nor its token anywhere', async () => {
    const bench = await benchOfTest({ api: 'wallet-session', sessionMs: 3_000 })
    const wire = await WireRecorder.forTest(bench.sandbox.url)
    await bench.registerMany(3, 'secrets')
    const daemon = await bench.startHere({ ATTESTD_SERVICE_URL: wire.url, ATTESTD_LOG_LEVEL: 'debug' }).ready()
    await bench.expectExactlyOneEach()
    await bench.until('a second session', () => wire.tokens().size > 1)
    const { privateKey } = bench.sandbox.wallets.attester
    const pages = await Promise.all(['/', '/metrics', '/status', '/readyz'].map(async (page) => daemon.get(page)))
    expect(await daemon.drain()).toBe(0)
    const written = [
      daemon.output,
      ...pages.map(({ text }) => text),
      ...Object.values(await textsBelow(path.join(bench.folder, 'main'))),
    ]
    for (const secret of [privateKey.slice(2), ...wire.tokens()]) {
      expect(written.filter((text) => text.toLowerCase().includes(secret.toLowerCase()))).toEqual([])
    }
  })
})

import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import type { ChildDetector } from '../../../src/detect/contract/child-detector.js'
import { logitOf } from '../../../src/detect/scoring/calibration.js'
import { scoreSound } from '../../../src/detect/video/sound-score.js'
import { parsedTinyManifest } from '../../support/detector-package.js'

const BAND = { low: 0.3, high: 0.8 }

/** A detector that gives every file one logit, or fails. @param channels logits of channels alone */
function listener(rawScore: number | AttestdError, decisionBand = BAND, ...channels: number[]): ChildDetector {
  return {
    pack: { folder: '/', digest: '', manifest: parsedTinyManifest('listener', { decisionBand }) },
    async measure() {
      if (rawScore instanceof AttestdError) throw rawScore
      return {
        rawScore,
        notes: '',
        parts: [],
        variants: channels.map((logit) => ({ name: '', rawScore: logit })),
        elapsedMs: { decode: 0, infer: 0 },
      }
    },
  }
}

describe('the sound of a video', () => {
  it('counts where the audio detector is sure that it is fake', async () => {
    const { logit, summary } = await scoreSound(listener(logitOf(0.9)), 'clip')
    expect(logit).toBeCloseTo(logitOf(0.9), 6)
    expect(summary).toBe('sound counts (risk 90.0)')
  })

  it.each([
    [0.5, 'sound is unsure (risk 50.0)'],
    [0.1, 'sound is not suspicious (risk 10.0)'],
  ])('has no effect at a risk of %f', async (risk, summary) => {
    expect(await scoreSound(listener(logitOf(risk)), 'clip')).toEqual({ logit: null, summary })
  })

  it('counts where it is sure of one channel only', async () => {
    const { summary } = await scoreSound(listener(logitOf(0.1), BAND, logitOf(0.2), logitOf(0.9)), 'clip')
    expect(summary).toBe('sound counts (risk 90.0)')
  })

  it('has no effect at a risk of 1 where the detector has no verdicts on that side', async () => {
    const { logit, summary } = await scoreSound(listener(1000, { low: 0.3, high: 1 }), 'clip')
    expect([logit, summary]).toEqual([null, 'sound is unsure (risk 100.0)'])
  })

  it('is no fault of the clip if it cannot be judged', async () => {
    const silent = listener(new AttestdError('media-unsupported'))
    expect(await scoreSound(silent, 'clip')).toEqual({ logit: null, summary: 'sound not judged (media-unsupported)' })
  })

  it('passes on a fault of the detector', async () => {
    const broken = listener(new AttestdError('detector-failed'))
    await expect(scoreSound(broken, 'clip')).rejects.toMatchObject({ reason: 'detector-failed' })
  })
})

import { AttestdError } from '../../core/errors.js'

/** A run of decoded sound. */
export interface SoundBlock {
  /** Samples a second. */
  readonly sampleRate: number
  /** One a channel, all of one length; -1 to 1. */
  readonly channels: readonly Float32Array[]
}

/** Decoded sound from start to end, block by block, so that a long recording never lies in memory whole. */
export type SoundBlocks = AsyncIterable<SoundBlock>

export function corruptSound(words: string, cause?: unknown): AttestdError {
  return new AttestdError('media-corrupt', `The sound cannot be decoded: ${words}`, { cause })
}

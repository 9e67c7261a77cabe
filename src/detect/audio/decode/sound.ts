import { AttestdError } from '../../../core/errors.js'

/** A run of decoded sound. */
export interface SoundBlock {
  /** Samples a second. */
  readonly sampleRate: number
  /** One a channel, all of one length; -1 to 1. */
  readonly channels: readonly Float32Array[]
}

/** Decoded sound from start to end, block by block, so that a long recording never lies in memory whole. */
export type SoundBlocks = AsyncIterable<SoundBlock>

/** A stretch of a recording that is decoded. */
export interface Passage {
  /** From the start of the recording; an estimate where the place was found by bytes. */
  readonly startSeconds: number
  /** The most that is decoded of it. */
  readonly seconds: number
}

/** A file that was found to hold sound. */
export interface OpenSound {
  /** As a person would call it: `mp3`, `ogg opus`. */
  readonly format: string
  /** As the file states it or as it was estimated; null where it is not known before all is decoded. */
  readonly seconds: number | null
  /** In order; to be decoded one after the other. */
  readonly passages: readonly (Passage & { readonly blocks: SoundBlocks })[]
}

/** The refusal of bytes that do not decode. @param words what is wrong with them, in a clause */
export const corruptSound = (words: string, cause?: unknown): AttestdError =>
  new AttestdError('media-corrupt', `The sound cannot be decoded: ${words}`, { cause })

import type { Picture } from '../contract/picture.js'

/** Short side to which larger frames are made smaller, px: what detectors look at is smaller still. */
export const MAX_SHORT_SIDE = 720

/** One decoded frame, upright, with square pixels, its short side at most `MAX_SHORT_SIDE`. */
export interface Frame extends Picture {
  /** When it is shown, from the start of the video. */
  readonly seconds: number
}

/** What a frame of this size becomes. */
export function boundedSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, MAX_SHORT_SIDE / Math.min(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

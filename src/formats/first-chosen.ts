import type { InputTrack } from 'mediabunny'
import { AttestdError } from '../core/errors.js'

/** Whether the first track of a kind is the one that players choose by flags, by order, or by what it takes: it alone has the flag. */
export async function isFirstChosen(tracks: readonly InputTrack[]): Promise<boolean> {
  const flags = await Promise.all(tracks.map(async (track) => (await track.getDisposition()).default))
  return tracks.length <= 1 || (flags[0] === true && !flags.includes(true, 1))
}

/** Of several tracks of a kind, players do not all play the first. */
export const severalTracks = (): AttestdError =>
  new AttestdError('media-unsupported', 'The file has several tracks of a kind; players differ in which they play.')

/** Of a file with a track that not all players show, or show in part. */
export const shownOtherwise = (): AttestdError =>
  new AttestdError(
    'media-unsupported',
    'The file has a track that is disabled, coded or cut out; players differ in what they show of it.',
  )

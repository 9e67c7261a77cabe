import type { InputTrack } from 'mediabunny'

/** Whether the first track of a kind is the one that players choose by flags, by order, or by what it takes: it alone has the flag. */
export async function isFirstChosen(tracks: readonly InputTrack[]): Promise<boolean> {
  const flags = await Promise.all(tracks.map(async (track) => (await track.getDisposition()).default))
  return tracks.length <= 1 || (flags[0] === true && !flags.includes(true, 1))
}

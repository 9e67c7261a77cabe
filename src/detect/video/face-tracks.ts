import type { Area } from '../image/image-tensor.js'

/** One face in one frame. */
export interface Sighting<F extends Area = Area> {
  readonly seconds: number
  readonly face: F
}

/** The same face through the video, in the order of time. */
export type FaceTrack<F extends Area = Area> = readonly Sighting<F>[]

/** Share of the union that two boxes of one face must have in common in neighboring frames. */
const SAME_FACE_OVERLAP = 0.2
/** Where they have moved further: distance of the centers as a share of the larger side, and ratio of the sides. */
const SAME_FACE_DISTANCE = 0.6
const SAME_FACE_RATIO = 1.6

/**
 * Follows faces from frame to frame: pairs of a track's last box and a box of the frame are taken greedily, those that
 * overlap most first; what is left over begins a new track.
 * @param frames in the order of time
 * @param maxGapSeconds a track that was not seen for longer has ended
 */
export function trackFaces<F extends Area>(
  frames: readonly { readonly seconds: number; readonly faces: readonly F[] }[],
  maxGapSeconds: number,
): FaceTrack<F>[] {
  const tracks: Sighting<F>[][] = []
  for (const { seconds, faces } of frames) {
    const open = tracks.filter((track) => seconds - (track.at(-1) as Sighting<F>).seconds <= maxGapSeconds)
    const pairs = open
      .flatMap((track) =>
        faces.map((face) => ({ track, face, likeness: likeness((track.at(-1) as Sighting<F>).face, face) })),
      )
      .filter(({ likeness: value }) => value > 0)
      .sort((a, b) => b.likeness - a.likeness)
    const taken = new Set<unknown>()
    for (const { track, face } of pairs) {
      if (taken.has(track) || taken.has(face)) continue
      taken.add(track).add(face)
      track.push({ seconds, face })
    }
    for (const face of faces) if (!taken.has(face)) tracks.push([{ seconds, face }])
  }
  return tracks
}

/** 0 where two boxes cannot be the same face; above 1 where they overlap, by how much; below where they are near. */
function likeness(a: Area, b: Area): number {
  const overlap = overlapOf(a, b)
  if (overlap >= SAME_FACE_OVERLAP) return 1 + overlap
  const [sideA, sideB] = [Math.max(a.width, a.height), Math.max(b.width, b.height)]
  const larger = Math.max(sideA, sideB)
  if (larger > SAME_FACE_RATIO * Math.min(sideA, sideB)) return 0
  const distance = Math.hypot(a.left + a.width / 2 - b.left - b.width / 2, a.top + a.height / 2 - b.top - b.height / 2)
  return Math.max(0, 1 - distance / (larger * SAME_FACE_DISTANCE))
}

/** Intersection over union. */
function overlapOf(a: Area, b: Area): number {
  const width = Math.max(0, Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left))
  const height = Math.max(0, Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top))
  const shared = width * height
  return shared / (a.width * a.height + b.width * b.height - shared)
}

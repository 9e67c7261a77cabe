import { createHash } from 'node:crypto'
import { AttestdError } from '../../core/errors.js'
import type { MediaType } from '../../core/media-types.js'
import type { DetectorManifest } from './manifest.js'

/** One package that another names to do a part of its work. */
export interface UsedPackage {
  readonly id: string
  /** The field of `runtime` that names it. */
  readonly field: string
  /** What it must be able to score. */
  readonly mediaType: MediaType
}

/** The packages that a package names: those that look at the frames and the sound track of a video. */
export function usedBy({ runtime }: DetectorManifest): UsedPackage[] {
  if (runtime.kind !== 'composed') return []
  const { frames, audio } = runtime
  const used: UsedPackage[] = [{ id: frames, field: 'frames', mediaType: 'image' }]
  if (audio !== undefined) used.push({ id: audio, field: 'audio', mediaType: 'audio' })
  return used
}

/** @throws AttestdError manifest-invalid where the named package does not score what it is named for */
export function checkUsed(
  { id }: DetectorManifest,
  { field, mediaType }: UsedPackage,
  { id: usedId, mediaTypes }: DetectorManifest,
): void {
  if (mediaTypes.includes(mediaType)) return
  throw new AttestdError(
    'manifest-invalid',
    `The manifest of ${id} is not accepted:\n  runtime.${field}: ${usedId} scores ${mediaTypes.join(', ')}, not ${mediaType}`,
  )
}

/** A package's digest (64 hex) that changes with every package it uses: kept verdicts and replays hang on it. */
export function digestWithUsed(own: string, uses: readonly { readonly digest: string }[]): string {
  return createHash('sha256')
    .update([own, ...uses.map(({ digest }) => digest)].join('\n'))
    .digest('hex')
}

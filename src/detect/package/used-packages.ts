import { createHash } from 'node:crypto'
import type { MediaType } from '../../core/media-types.js'
import type { DetectorManifest } from './manifest.js'
import { manifestRefused } from './manifest-refused.js'

export interface UsedPackage {
  readonly id: string
  /** The field of `runtime` that names it. */
  readonly field: string
  /** Why a package cannot do that work, in words; null where it can. */
  readonly refusal: (used: DetectorManifest) => string | null
}

/** The packages that a package names: the encoder of its views; those that look at the frames and the sound of a video. */
export function usedBy({ runtime }: DetectorManifest): UsedPackage[] {
  if (runtime.kind === 'onnx-encoded') return [{ id: runtime.encoder, field: 'encoder', refusal: givesNoFeatures }]
  if (runtime.kind !== 'composed') return []
  const { frames, audio, head } = runtime
  const used: UsedPackage[] = [
    { id: frames, field: 'frames', refusal: head === undefined ? scoresNo('image') : givesNoFeatures },
  ]
  if (audio !== undefined) used.push({ id: audio, field: 'audio', refusal: scoresNo('audio') })
  return used
}

function scoresNo(mediaType: MediaType): UsedPackage['refusal'] {
  return ({ mediaTypes }) =>
    mediaTypes.includes(mediaType) ? null : `scores ${mediaTypes.join(', ')}, not ${mediaType}`
}

const givesNoFeatures = ({ runtime }: DetectorManifest): string | null =>
  runtime.kind === 'onnx-views' && runtime.features !== undefined ? null : 'states no runtime.features'

/** @throws AttestdError manifest-invalid where the named package cannot do what it is named for */
export function checkUsed({ id }: DetectorManifest, { field, refusal }: UsedPackage, used: DetectorManifest): void {
  const reason = refusal(used)
  if (reason === null) return
  throw manifestRefused(id, `runtime.${field}`, `${used.id} ${reason}`)
}

/** A package's digest (64 hex) that changes with every package it uses: kept verdicts and replays hang on it. */
export function digestWithUsed(own: string, uses: readonly { readonly digest: string }[]): string {
  return createHash('sha256')
    .update([own, ...uses.map(({ digest }) => digest)].join('\n'))
    .digest('hex')
}

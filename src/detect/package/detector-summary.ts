import type { MediaType } from '../../core/media-types.js'

/** What names a detector: in verdicts, in `/status` and to people. */
export interface DetectorSummary {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly mediaTypes: readonly MediaType[]
  readonly digest: string
  /** Percent of the assets that it scores as a candidate; absent for one that is none. */
  readonly canary?: number | undefined
}

import type { Chance } from './mutate/chance.js'
import type { Verdict } from './verdict.js'

/** One input that was tried. */
export interface Tried {
  /** The input, so that it can be kept. */
  readonly input: Uint8Array | string
  /** Ending of the file in which it is kept. */
  readonly ending: string
  readonly verdicts: readonly Verdict[]
}

/** A parser or room under fuzz: the real one, with whatever serves it. */
export interface OpenTarget {
  /** Makes an input by chance and tries it. */
  tryOne(chance: Chance): Promise<Tried>
  close(): Promise<void>
}

/** How a target is opened; `counts` says in what its inputs are counted. */
export interface Target {
  readonly name: string
  /** `media` and `events` are asked for by number on the command line; the others get a share of the events. */
  readonly counts: 'media' | 'events' | 'others'
  open(): Promise<OpenTarget>
}

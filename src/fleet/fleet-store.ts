/** What one daemon last announced, as it lies in the store: whoever reads it parses it. */
export interface Announcement {
  /** Of one run of a daemon. */
  readonly id: string
  readonly text: string
  /** How long ago, ms by the clock of the store. */
  readonly agoMs: number
}

/** Where the daemons of one queue announce themselves and leave what became of the last assets. */
export interface FleetStore {
  announce(id: string, text: string): Promise<void>
  /** A run that ends in order is not lost. */
  leave(id: string): Promise<void>
  /** Of the last hour, in no order. */
  announced(): Promise<Announcement[]>
  /** Adds records, the last of them the newest, and drops the oldest beyond `MAX_RECORDS`. */
  append(texts: readonly string[]): Promise<void>
  recent(limit: number): Promise<string[]>
  /** What all daemons were last ordered to work with; null where there was no order. */
  order(): Promise<string | null>
  setOrder(text: string): Promise<void>
}

/** A run that did not leave is known for this long, ms. */
export const REMEMBERED_MS = 60 * 60_000
/** A longer announcement is passed over unread, bytes: a card of ours has some 10 kB, 100 kB at most. */
export const MAX_CARD_BYTES = 256 * 1024
/** Announcements that are read, those heard of last. */
export const MAX_CARDS = 1000
export const MAX_RECORDS = 500

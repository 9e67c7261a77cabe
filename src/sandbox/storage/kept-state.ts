import type { JournalEntry } from './journal-entry.js'

type EntryOf<Type extends JournalEntry['type']> = Extract<JournalEntry, { type: Type }>

/** What the lines of a journal add up to. */
export class KeptState {
  readonly #entries = new Map<string, JournalEntry>()

  apply(entry: JournalEntry): void {
    if (entry.type !== 'reset') return void this.#entries.set(slotOf(entry), entry)
    for (const [slot, { type }] of this.#entries) if (type !== 'key' && type !== 'wallet') this.#entries.delete(slot)
  }

  /** The shortest journal that adds up to the same, in the order in which things came to be. */
  entries(): JournalEntry[] {
    return [...this.#entries.values()]
  }

  of<Type extends JournalEntry['type']>(type: Type): EntryOf<Type>[] {
    return this.entries().filter((entry): entry is EntryOf<Type> => entry.type === type)
  }
}

/** Entries of one slot replace each other. */
function slotOf(entry: Exclude<JournalEntry, { type: 'reset' }>): string {
  switch (entry.type) {
    case 'asset':
      return `asset ${entry.asset.id}`
    case 'score':
      return `score ${entry.score.id}`
    case 'key':
      return `key ${entry.key.id}`
    case 'stake':
    case 'roles':
    case 'wallet':
      return `${entry.type} ${entry.wallet}`
    case 'minimum':
      return entry.type
  }
}

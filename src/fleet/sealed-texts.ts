import type { FleetSeal, SealPurpose } from './fleet-seal.js'
import type { FleetStore } from './fleet-store.js'

/** What was found on Redis without the code of the fleet. */
export type Forged = 'job' | 'verdict' | 'order'
/** Called for each such thing; it is not used. */
export type OnForged = (what: Forged) => void

/** See `SharedTexts` of the queue. */
interface Texts {
  get(key: string): Promise<string | null>
  set(key: string, text: string, ms: number): Promise<void>
}

/** Verdicts with the code of the fleet, bound to their key; one without it counts as absent. */
export function sealedTexts(texts: Texts, seal: FleetSeal, onForged: OnForged): Texts {
  return {
    get: async (key) => {
      const text = await texts.get(key)
      if (text === null || isOurs(seal, 'verdict', key, text)) return text
      onForged('verdict')
      return null
    },
    set: (key, text, ms) => texts.set(key, sealedText(seal, 'verdict', key, text), ms),
  }
}

/** A fleet whose orders carry its code; one without it counts as absent. */
export function sealedFleet(store: FleetStore, seal: FleetSeal, onForged: OnForged): FleetStore {
  let refused: string | null = null
  return {
    ...store,
    order: async () => {
      const text = await store.order()
      if (text === null || isOurs(seal, 'order', '', text)) return text
      // It is looked at every second.
      if (text !== refused) onForged('order')
      refused = text
      return null
    },
    setOrder: (text) => store.setOrder(sealedText(seal, 'order', '', text)),
  }
}

const sealedText = (seal: FleetSeal, purpose: SealPurpose, subject: string, text: string): string =>
  JSON.stringify(seal.sealed(purpose, subject, JSON.parse(text)))

function isOurs(seal: FleetSeal, purpose: SealPurpose, subject: string, text: string): boolean {
  try {
    return seal.isOurs(purpose, subject, JSON.parse(text))
  } catch {
    return false
  }
}

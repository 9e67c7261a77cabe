import { Refusal } from '../http/refusal.js'
import type { World } from '../world.js'

/** The refusal where the registry's chain does not answer; the log states how it failed. */
export function chainUnavailable(world: World, error: unknown): Refusal {
  world.log.warn({ err: error }, 'the stake registry did not answer')
  return new Refusal('chain-unavailable', 'The chain of the stake contract does not answer.')
}

import type { Chance } from '../mutate/chance.js'
import type { Target, Tried } from '../target.js'
import { type Bounds, secretIn, type Verdict } from '../verdict.js'
import { type Answer, APIS, type Api, type FuzzedService, openFuzzedService } from './fuzzed-service.js'

/** What an answer or a stream may do at most. */
export const BOUNDS: Bounds = { limitMs: 20_000, processorMs: 5000 }

/** One input for a client of an API. */
export interface ServiceInput {
  /** The input as the server sends it. */
  readonly answer: Answer
  /** Lets the client take it. */
  use(opened: FuzzedService): Promise<Verdict[]>
  /** What was sent, once it was. */
  sent(): Tried['input']
}

/**
 * Inputs for the clients of both APIs over real connections, each with a client and a server of its own. No log line may
 * repeat a secret.
 * @param inputOf makes an input by chance
 */
export function serviceTarget(
  about: Pick<Target, 'name' | 'counts'> & Pick<Tried, 'ending'>,
  inputOf: (api: Api, chance: Chance) => ServiceInput,
): Target {
  const { ending, ...named } = about
  const tryOne = async (chance: Chance): Promise<Tried> => {
    const api = chance.pick(APIS)
    const { answer, sent, use } = inputOf(api, chance)
    const opened = await openFuzzedService(api, answer)
    try {
      const verdicts = await use(opened)
      return { input: sent(), ending, verdicts: [...verdicts, ...toldSecrets(opened)] }
    } finally {
      await opened.close()
    }
  }
  return { ...named, open: async () => ({ tryOne, close: async () => {} }) }
}

function toldSecrets({ said, secrets }: FuzzedService): Verdict[] {
  const text = said.join('\n')
  return secretIn(text, secrets()) ? [{ outcome: 'secret', wrong: `a log line repeats a secret: ${text}` }] : []
}

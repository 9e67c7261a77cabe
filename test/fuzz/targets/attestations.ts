import { verifyAttestation } from '../../../src/chain/eas/verify.js'
import { parseAttestation } from '../../../src/chain/eas/wire.js'
import { profileOf, readEasVectors } from '../../support/eas-vectors.js'
import { mutatedJson } from '../mutate/json.js'
import type { Target } from '../target.js'
import { judge } from '../verdict.js'

const BOUNDS = { limitMs: 10_000, processorMs: 2000 }

/** Attestations of EAS's own SDK, changed, through parser and verifier; none but an unchanged one may be proved. */
export const attestations: Target = {
  name: 'attestations',
  counts: 'others',
  async open() {
    const vectors = readEasVectors()
    return {
      async tryOne(chance) {
        const vector = chance.pick(vectors)
        const { attester, time } = vector
        const value = mutatedJson(vector.attestation, chance, [vector.attestation.uid, attester])
        const verdict = await judge(async () => {
          const parsed = parseAttestation(value)
          const proved = await verifyAttestation(parsed, { profile: profileOf(vector), attester, now: time })
          if (proved.uid !== vector.attestation.uid) throw new Error('a changed attestation was proved')
        }, BOUNDS)
        return { input: JSON.stringify(value), ending: 'json', verdicts: [verdict] }
      },
      close: async () => {},
    }
  },
}

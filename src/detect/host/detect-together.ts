import { AttestdError } from '../../core/errors.js'
import type { Detection } from '../detection.js'
import type { SelectedPackage } from '../package/package-loader.js'
import { type Absence, combine, type EnsembleIdentity, type Vote } from '../scoring/ensemble.js'

/**
 * Lets each member of an ensemble measure the file, one after the other, so that a file which kills its process kills
 * one, and combines what they gave. A member that abstains is left out; where all do, the first one's reason stands.
 * Any other failure must not become a partial score, and is thrown.
 * @param measure one member's detection of the file; `draws` until one has not abstained: a heat map shows one detector
 * @throws AttestdError
 */
export async function detectTogether(
  members: readonly SelectedPackage[],
  identity: EnsembleIdentity,
  measure: (pack: SelectedPackage, draws: boolean) => Promise<Detection>,
): Promise<Detection> {
  const votes: Vote[] = []
  const absences: Absence[] = []
  let firstReason: AttestdError | null = null
  for (const pack of members) {
    const { decisionBand: band, id } = pack.manifest
    try {
      votes.push({ weight: pack.weight, band, detection: await measure(pack, votes.length === 0) })
    } catch (error) {
      if (!(error instanceof AttestdError) || error.kind !== 'abstain') throw error
      firstReason ??= error
      absences.push({ id, reason: error.reason })
    }
  }
  if (votes.length === 0) throw firstReason ?? new AttestdError('detector-none')
  const heatMap = votes[0]?.detection.heatMap
  return { ...combine(identity, votes, absences), heatMap }
}

import { type ChosenDetector, choiceText, chosenDetectors } from '../../config/detector-choice.js'
import type { Settings } from '../../config/settings.js'
import { chosenInstead, readKeptSelection } from './kept-selection.js'

/** The detectors that a daemon of these settings would start with, and by whose word, for people. */
export async function selectionInForce({
  dataDir,
  detectors,
}: Pick<Settings, 'dataDir' | 'detectors'>): Promise<{ detectors: ChosenDetector[]; summary: string }> {
  const setting = detectors.map(choiceText).join(',')
  const chosen = chosenInstead(await readKeptSelection(dataDir), setting)
  return {
    detectors: chosen === null ? detectors : chosenDetectors.parse(chosen),
    summary: selectionText(setting, chosen),
  }
}

/**
 * By whose word the detectors are chosen.
 * @param setting text of ATTESTD_DETECTORS
 * @param chosen what `models reload` chose in its place; null: the setting counts
 */
export function selectionText(setting: string, chosen: string | null): string {
  const all = (text: string) => text || 'all packages except variants'
  if (chosen === null) return `detectors by ATTESTD_DETECTORS: ${all(setting)}`
  const until = `until ATTESTD_DETECTORS (now ${setting || 'empty'}) is changed, or models rollback`
  return `detectors by models reload: ${all(chosen)}; ${until}`
}

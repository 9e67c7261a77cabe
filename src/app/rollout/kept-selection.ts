import path from 'node:path'
import { z } from 'zod'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import { detectorOrder, selectionSetting } from './detector-order.js'

const keptSelection = z.object({
  /** This daemon's own ATTESTD_DETECTORS when it carried the order out. */
  setting: selectionSetting,
  /** What it works with since; where it could not carry the order out, what it worked with before. */
  order: detectorOrder,
})
/** What a daemon keeps of the last order in its data directory. */
export type KeptSelection = z.infer<typeof keptSelection>

const fileOf = (dataDir: string) => path.join(dataDir, 'detectors.json')

/**
 * @param onUnreadable called with a file that is there and cannot be read, as a power cut leaves one
 * @returns null where there is none, or none that can be read
 */
export async function readKeptSelection(
  dataDir: string,
  onUnreadable: (file: string) => void = () => {},
): Promise<KeptSelection | null> {
  const content = await readFileIfPresent(fileOf(dataDir))
  try {
    return content && keptSelection.parse(JSON.parse(content.toString('utf8')))
  } catch {
    onUnreadable(fileOf(dataDir))
    return null
  }
}

/** Writes DATA_DIR/detectors.json. */
export async function keepSelection(dataDir: string, kept: KeptSelection): Promise<void> {
  await writeFileAtomic(fileOf(dataDir), `${JSON.stringify(kept)}\n`)
}

/**
 * What `models reload` chose in place of the setting: it stands until the setting is changed.
 * @param setting text of ATTESTD_DETECTORS now
 * @returns null where the setting counts
 */
export function chosenInstead(kept: KeptSelection | null, setting: string): string | null {
  return kept?.setting === setting ? kept.order.chosen : null
}

import type { Settings } from '../../config/settings.js'
import { openSignedKeySubmitter } from './signed-key-submitter.js'
import type { SubmitterSide } from './submitter-side.js'

/** The submitter's side of the service of the settings. */
export async function openSubmitter(settings: Settings): Promise<SubmitterSide> {
  return openSignedKeySubmitter(settings, null)
}

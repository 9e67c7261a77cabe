import type { Settings } from '../../config/settings.js'
import { openCage } from '../open/open-cage.js'
import { type Diagnosis, failed } from './diagnosis.js'

/** The daemon works without one; what goes unprotected then is named. */
export async function diagnoseCage(settings: Pick<Settings, 'detectorCage'>): Promise<Diagnosis> {
  try {
    const { cage, gap } = await openCage(settings)
    const caged = 'detector processes run under bubblewrap'
    if (gap === null) return { check: 'cage', outcome: 'ok', message: caged }
    if (cage !== null) return { check: 'cage', outcome: 'skipped', message: `${caged}, but ${gap}` }
    return {
      check: 'cage',
      outcome: 'skipped',
      message: `${gap}; detector processes can read what this user can, and open connections`,
      fix: 'Install bubblewrap (apt-get install bubblewrap) where user namespaces are allowed.',
    }
  } catch (error) {
    return failed('cage', error)
  }
}

import os from 'node:os'
import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import { cageGap, type DetectorCage } from '../../detect/host/detector-cage.js'
import { findProgram } from './find-program.js'

/** The cage of detector processes, or why there is none; exactly one of both. */
export interface CageState {
  readonly cage: DetectorCage | null
  readonly gap: string | null
}

/**
 * The cage that the settings ask for, tried out: kernels and containers may forbid it.
 * @throws AttestdError setting-invalid where one is required and not possible
 */
export async function openCage({ detectorCage }: Pick<Settings, 'detectorCage'>): Promise<CageState> {
  if (detectorCage === 'off') return { cage: null, gap: 'ATTESTD_DETECTOR_CAGE is off' }
  const state = await tryCage()
  if (state.cage !== null || detectorCage === 'auto') return state
  throw new AttestdError('setting-invalid', `ATTESTD_DETECTOR_CAGE is require, but ${state.gap}.`, {
    fix: 'Install bubblewrap (apt-get install bubblewrap), allow user namespaces to this user, or set ATTESTD_DETECTOR_CAGE to auto.',
  })
}

async function tryCage(): Promise<CageState> {
  const [bwrap, env] = await Promise.all([findProgram('bwrap'), findProgram('env')])
  if (bwrap === null || env === null) return { cage: null, gap: 'bubblewrap (bwrap) is not installed' }
  const cage = { bwrap, env, scratchDir: os.tmpdir() }
  const gap = await cageGap(cage)
  return gap === null ? { cage, gap } : { cage: null, gap }
}

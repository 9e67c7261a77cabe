import os from 'node:os'
import type { Settings } from '../../config/settings.js'
import { privateFolder } from '../../core/disk/own-folders.js'
import { AttestdError } from '../../core/errors.js'
import { cageGap, type DetectorCage } from '../../detect/host/detector-cage.js'
import { memoryLimiter } from '../../detect/host/memory-limit.js'
import { hasFilter } from '../../detect/host/system-calls.js'
import { findProgram } from './find-program.js'
import { installFix } from './install-fix.js'

/** Folder of this user in that for temporary files, before the user's number. */
const SCRATCH = 'attestd-detectors-'

/** The cage of detector processes, null where there is none. */
export interface CageState {
  readonly cage: DetectorCage | null
  /** Why there is none, or none that filters system calls; null where it is whole. */
  readonly gap: string | null
}

/**
 * The cage that the settings ask for, tried out: kernels and containers may forbid it.
 * @throws AttestdError setting-invalid where one is required and not possible as a whole
 */
export async function openCage({ detectorCage }: Pick<Settings, 'detectorCage'>): Promise<CageState> {
  if (detectorCage === 'off') return { cage: null, gap: 'ATTESTD_DETECTOR_CAGE is off' }
  const state = await tryCage()
  if (state.gap === null || detectorCage === 'auto') return state
  throw new AttestdError('setting-invalid', `ATTESTD_DETECTOR_CAGE is require, but ${state.gap}.`, {
    fix:
      state.cage === null
        ? `${installFix('bubblewrap')} Allow user namespaces to this user, or set ATTESTD_DETECTOR_CAGE to auto.`
        : 'Set ATTESTD_DETECTOR_CAGE to auto, or run on a kernel with seccomp on x86-64 or arm64.',
  })
}

async function tryCage(): Promise<CageState> {
  const isRoot = process.getuid?.() === 0
  const [bwrap, env, setpriv] = await Promise.all(['bwrap', 'env', 'setpriv'].map((name) => findProgram(name)))
  if (!bwrap || !env) return { cage: null, gap: 'bubblewrap (bwrap) is not installed' }
  if (isRoot && !setpriv)
    return { cage: null, gap: 'setpriv (util-linux) is not installed, and root cages nothing without it' }
  if ((await memoryLimiter()) === null) return { cage: null, gap: 'prlimit (util-linux) cannot set limits here' }
  const scratchDir = await privateFolder(os.tmpdir(), SCRATCH).catch(() => null)
  if (scratchDir === null) return { cage: null, gap: `no folder can be made in ${os.tmpdir()}` }
  const cage = { bwrap, env, setpriv: (isRoot && setpriv) || null, scratchDir, isFiltered: hasFilter }
  const gap = await cageGap(cage)
  if (gap === null) return { cage, gap: hasFilter ? null : unfiltered(`for ${process.arch} there is no filter`) }
  const unfilteredCage = { ...cage, isFiltered: false }
  const rest = hasFilter ? await cageGap(unfilteredCage) : gap
  if (rest === null) return { cage: unfilteredCage, gap: unfiltered(gap) }
  return { cage: null, gap: `bubblewrap is not possible here (${rest})` }
}

const unfiltered = (why: string): string => `system calls are not filtered (${why})`

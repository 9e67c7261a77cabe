import type { Settings } from '../../config/settings.js'
import { ffmpegCage } from '../../detect/ffmpeg/ffmpeg-cage.js'
import { memoryLimiter } from '../../detect/host/memory-limit.js'
import { ffmpegVersion } from '../open/ffmpeg-version.js'
import { findFfmpeg } from '../open/find-program.js'
import { installFix } from '../open/install-fix.js'
import { type CageState, openCage } from '../open/open-cage.js'
import { type Diagnosis, failed, skipped } from './diagnosis.js'

const MISSING = 'not found; most video, and sound in AAC, M4A, WebM, AIFF or WMA, ends with media-unsupported'

/** Runs ffmpeg, and reports what needs it or how well it is confined. Without it fewer kinds of media are scored. */
export async function diagnoseFfmpeg(settings: Pick<Settings, 'ffmpeg'>): Promise<Diagnosis> {
  try {
    const program = await findFfmpeg(settings)
    if (program === null)
      return { ...skipped('ffmpeg', MISSING), fix: `${installFix('ffmpeg')} Or name one in ATTESTD_FFMPEG.` }
    const version = await ffmpegVersion(program)
    const { gaps } = await ffmpegCage()
    const message = `${program} is version ${version}; ${gaps.length === 0 ? 'fully confined' : gaps.join('; ')}`
    return { check: 'ffmpeg', outcome: 'ok', message }
  } catch (error) {
    return failed('ffmpeg', error)
  }
}

const UNLIMITED =
  'the kernel sets no limit behind the watch of their memory (prlimit of util-linux is not possible here)'

/** The daemon works without one; what goes unprotected then is named. */
export async function diagnoseCage(settings: Pick<Settings, 'detectorCage'>): Promise<Diagnosis> {
  try {
    const state = await openCage(settings)
    const isLimited = (await memoryLimiter()) !== null
    const message = `${stated(state)}; ${isLimited ? 'the kernel limits their memory' : UNLIMITED}`
    if (state.gap === null && isLimited) return { check: 'cage', outcome: 'ok', message }
    if (state.cage !== null) return { check: 'cage', outcome: 'skipped', message }
    const fix = `${installFix('bubblewrap')} It must be 0.8 or newer, and user namespaces be allowed.`
    return { check: 'cage', outcome: 'skipped', message, fix }
  } catch (error) {
    return failed('cage', error)
  }
}

function stated({ cage, gap }: CageState): string {
  const isRoot = process.getuid?.() === 0
  if (cage === null)
    return `${gap}; detector processes run as ${isRoot ? 'root' : 'this user'}, read what ${isRoot ? 'root' : 'it'} can, and open connections`
  const caged = `detector processes run under bubblewrap${cage.setpriv === null ? '' : ', as nobody instead of root'}`
  return gap === null ? caged : `${caged}, but ${gap}`
}

import type { Settings } from '../../config/settings.js'
import { ffmpegCage } from '../../detect/ffmpeg/ffmpeg-cage.js'
import { ffmpegVersion } from '../open/ffmpeg-version.js'
import { findFfmpeg } from '../open/find-program.js'
import { installFix } from '../open/install-fix.js'
import { type Diagnosis, failed, skipped } from './diagnosis.js'

const MISSING = 'not found; most video, and sound in AAC, M4A, WebM, AIFF or WMA, ends with media-unsupported'

/**
 * Looks for ffmpeg, runs it, and reports what needs it or how well it is confined. A missing one does not fail: the daemon works
 * without, for fewer kinds of media.
 */
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

import type { Settings } from '../../config/settings.js'
import { ffmpegCage } from '../../detect/ffmpeg/ffmpeg-cage.js'
import { ffmpegVersion } from '../open/ffmpeg-version.js'
import { findFfmpeg } from '../open/find-program.js'
import { installFix } from '../open/install-fix.js'

/** What doctor reports of ffmpeg: `missing` is no failure, because most media is read without one. */
export type FfmpegState =
  | { readonly state: 'found'; readonly message: string }
  | { readonly state: 'missing'; readonly message: string; readonly fix: string }

/**
 * Looks for ffmpeg, runs it, and reports what needs it or how well it is confined.
 * @throws AttestdError setting-invalid where one was named and is not there, or does not run
 */
export async function diagnoseFfmpeg(settings: Pick<Settings, 'ffmpeg'>): Promise<FfmpegState> {
  const program = await findFfmpeg(settings)
  if (program === null) {
    return {
      state: 'missing',
      message: 'not found; most video, and sound in AAC, M4A, WebM, AIFF or WMA, ends with media-unsupported',
      fix: `${installFix('ffmpeg')} Or name one in ATTESTD_FFMPEG.`,
    }
  }
  const version = await ffmpegVersion(program)
  const { gaps } = await ffmpegCage()
  return {
    state: 'found',
    message: `${program} is version ${version}; ${gaps.length === 0 ? 'fully confined' : gaps.join('; ')}`,
  }
}

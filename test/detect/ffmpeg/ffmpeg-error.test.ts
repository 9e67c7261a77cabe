import { describe, expect, it } from 'vitest'
import { ffmpegError } from '../../../src/detect/ffmpeg/ffmpeg-error.js'

const ended = (stderr: string, exitCode: number | null = 1, signal: NodeJS.Signals | null = null) =>
  ffmpegError({ exitCode, signal, stderr })

describe('the reason why ffmpeg gave no result', () => {
  // Lines as ffmpeg 5.1 and 7.0 write them.
  it.each([
    ['file:/tmp/a.mp4: No such file or directory', 'internal-error'],
    ['file:/tmp/a.mp4: Permission denied', 'internal-error'],
    ['[AVIOContext @ 0x1] Too many open files', 'internal-error'],
    ['[h264 @ 0x55] Picture size 40000x40000 is invalid', 'media-too-complex'],
    ['[vist#0:0/h264 @ 0x1] The frame exceeds specified max pixel count', 'media-too-complex'],
    ['Error while decoding: Cannot allocate memory', 'media-too-complex'],
    ['[mov,mp4 @ 0x5] Invalid max_alloc', 'media-too-complex'],
    ["Stream map '0:a:0' matches no streams.", 'media-type-mismatch'],
    ['Output #0 does not contain any stream', 'media-type-mismatch'],
    ["[file @ 0x1] Protocol 'http' not on whitelist 'file,crypto'!", 'media-unsupported'],
    ['Decoder (codec av1) not found for input stream #0:0', 'media-unsupported'],
    ["Unknown decoder 'libdav1d'", 'media-unsupported'],
    ['moov atom not found', 'media-corrupt'],
    ['', 'media-corrupt'],
  ])('%s: %s', (stderr, reason) => {
    expect(ended(stderr).reason).toBe(reason)
  })

  it('is the line that names a cause, before one that names a symptom', () => {
    const lines = ['Invalid data found', 'Cannot allocate memory', 'x: Permission denied']
    expect(ended(lines.join('\n'))).toMatchObject({
      reason: 'internal-error',
      message: expect.stringMatching(/x: Permission denied$/),
    })
  })

  it.each(['SIGXCPU', 'SIGKILL'] as const)(
    'is too much processor time where it was ended by %s, whatever it wrote',
    (signal) => {
      expect(ended('No such file or directory', null, signal).reason).toBe('detector-timeout')
    },
  )

  it.each(['SIGSEGV', 'SIGABRT', 'SIGBUS'] as const)('is a corrupt file where it died of %s', (signal) => {
    expect(ended('', null, signal)).toMatchObject({ reason: 'media-corrupt', message: expect.stringContaining(signal) })
  })

  it.each([126, 127])('is not the file where a wrapper could not run it and ended with %i', (exitCode) => {
    expect(ended('setpriv: not permitted', exitCode)).toMatchObject({
      reason: 'detector-failed',
      message: 'ffmpeg could not be started: setpriv: not permitted',
    })
    expect(ended('', 125).reason).toBe('media-corrupt')
  })

  it('quotes one line, without what differs between runs or shows paths', () => {
    const { message } = ended(
      '\n[mov @ 0x55d0c0ffee] moov not found in file:/var/lib/attestd/cache/ab12 at end\nmore\n',
    )
    expect(message).toBe('ffmpeg could not decode the file: [mov] moov not found in (file) at end')
    expect(ended(`bad ${'x'.repeat(500)}`).message.length).toBeLessThan(240)
    expect(ended(' \n', 69).message).toBe('ffmpeg could not decode the file: it ended with 69')
  })
})

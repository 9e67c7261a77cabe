/**
 * Makes the clips of this repository from its own free pictures: the package's self-test and the two sample clips of the
 * demo. VP8 in WebM with a keyframe a second, so that they are decoded without ffmpeg; needs an ffmpeg with libvpx.
 *
 *   node models/attestd-video/train/make-samples.mjs [--ffmpeg PATH]
 */
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const PACKAGE = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const SAMPLES = resolve(PACKAGE, '../../src/sandbox/samples')
const { values: options } = parseArgs({ options: { ffmpeg: { type: 'string', default: 'ffmpeg' } } })

/** File, picture that the camera moves over, seconds, kilobits a second, largest size in bytes. */
const CLIPS = [
  [join(PACKAGE, 'selftest.webm'), 'chelsea.jpg', 4, 130, 100_000],
  [join(SAMPLES, 'coffee-pan.webm'), 'coffee.jpg', 6, 150, 150_000],
  [join(SAMPLES, 'fractal-landscape-pan.webm'), 'fractal-landscape-1.jpg', 6, 150, 150_000],
]
const RATE = 15
/** Share of the picture that the frame shows; the rest is where it moves. */
const SHOWN = 0.85

for (const [out, picture, seconds, kilobits, largest] of CLIPS) {
  const moved = `t/${seconds}`
  const filters = [
    `crop=w=iw*${SHOWN}:h=ih*${SHOWN}:x=(iw-ow)*${moved}:y=(ih-oh)*${moved}:exact=1`,
    'scale=w=trunc(iw*360/ih/2)*2:h=360:flags=lanczos',
    'format=yuv420p',
  ]
  const quietly = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y']
  const input = ['-loop', '1', '-framerate', String(RATE), '-t', String(seconds), '-i', join(SAMPLES, picture)]
  const codec = ['-c:v', 'libvpx', '-b:v', `${kilobits}k`, '-g', String(RATE), '-quality', 'good', '-cpu-used', '1']
  const same = ['-threads', '1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-map_metadata', '-1']
  execFileSync(options.ffmpeg, [...quietly, ...input, '-vf', filters.join(','), ...codec, ...same, out])
  const { size } = statSync(out)
  if (size > largest) throw new Error(`${out} takes ${size} bytes; at most ${largest} are wanted`)
  console.log(`${out}: ${size} bytes`)
}

/**
 * Makes the clips of this repository from its own free pictures: the package's self-test and the sample clips of the demo. VP8 in WebM with a keyframe a second, so that they are decoded without ffmpeg; needs an ffmpeg with libvpx.
 *
 *   node models/attestd-video/train/make-samples.mjs [--ffmpeg PATH]
 */
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const PACKAGE = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const SAMPLES = resolve(PACKAGE, '../../samples')
const { values: options } = parseArgs({ options: { ffmpeg: { type: 'string', default: 'ffmpeg' } } })

/** File, pictures that the camera moves over one after the other, seconds each, frame height, kilobits a second, largest size in bytes. */
const CLIPS = [
  [join(PACKAGE, 'selftest.webm'), ['chelsea.jpg'], 2, 360, 130, 100_000],
  [join(SAMPLES, 'coffee-pan.webm'), ['coffee.jpg'], 6, 360, 150, 150_000],
  [join(SAMPLES, 'fractal-landscape-pan.webm'), ['fractal-landscape-1.jpg'], 6, 360, 150, 150_000],
  [
    join(SAMPLES, 'tools-and-animals.webm'),
    ['hammer.jpg', 'moose.jpg', 'multimeter.jpg', 'raccoon.jpg'],
    20,
    240,
    24,
    350_000,
  ],
]
const RATE = 15
/** Share of the picture that the frame shows; the rest is where it moves. */
const SHOWN = 0.85

for (const [out, pictures, seconds, height, kilobits, largest] of CLIPS) {
  const width = Math.round((height * 4) / 3)
  const moved = `t/${seconds}`
  const size = pictures.length > 1 ? `${width}:${height}` : `w=trunc(iw*${height}/ih/2)*2:h=${height}`
  const passages = pictures.map(
    (_, index) =>
      `[${index}]crop=w=iw*${SHOWN}:h=ih*${SHOWN}:x=(iw-ow)*${moved}:y=(ih-oh)*${moved}:exact=1,` +
      `scale=${size}:flags=lanczos,setsar=1,format=yuv420p[p${index}]`,
  )
  const joined = `${pictures.map((_, index) => `[p${index}]`).join('')}concat=n=${pictures.length}`
  const quietly = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y']
  const input = pictures.flatMap((picture) => [
    '-loop',
    '1',
    '-framerate',
    String(RATE),
    '-t',
    String(seconds),
    '-i',
    join(SAMPLES, picture),
  ])
  const codec = ['-c:v', 'libvpx', '-b:v', `${kilobits}k`, '-g', String(RATE), '-quality', 'good', '-cpu-used', '1']
  const same = ['-threads', '1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-map_metadata', '-1']
  const filters = [...passages, joined].join(';')
  execFileSync(options.ffmpeg, [...quietly, ...input, '-filter_complex', filters, ...codec, ...same, out])
  const bytes = statSync(out).size
  if (bytes > largest) throw new Error(`${out} takes ${bytes} bytes; at most ${largest} are wanted`)
  console.log(`${out}: ${bytes} bytes`)
}

/** Clips made from pictures: a pan through H.264, whole or with a passage of another picture in the middle. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import sharp from 'sharp'
import { ROOT } from './measure.mjs'

const RATE = 15
/** Share of the picture that the frame shows; the rest is where it moves. */
const SHOWN = 0.85
/** Quality of the encoding (x264 CRF), taken in turn so that both classes have the same. */
const QUALITIES = [20, 24, 28, 32]
/** Smallest side of a picture of the pack that is used; below, a frame would be all upsampling. */
const LEAST_SIDE = 200
/** Largest height of a frame; the repository's own samples are larger than those of the pack. */
const MOST_HEIGHT = 480

/** Web copies of the sources that attestd-image is judged on (its train/evaluation_set.py): the same number of each source or generator. */
export async function packPictures(folder, perSource) {
  const rows = parse(readFileSync(join(folder, 'index.csv'), 'utf8'), { columns: true })
  const usable = []
  for (const row of rows.filter(({ form, kind }) => form === 'web' && kind !== 'graphic')) {
    const { width, height } = await sharp(join(folder, row.path)).metadata()
    if (Math.min(width, height) >= LEAST_SIDE) usable.push(row)
  }
  return [...grouped(usable)].flatMap(([source, all]) =>
    spread(all, perSource).map((row) => {
      return { file: join(folder, row.path), fake: row.label === 'fake', source, half: row.fold }
    }),
  )
}

/** The free pictures of this repository: photographs, and pictures made by generators or by formulas; at most this many of a kind. */
export function samplePictures(perKind) {
  const folder = join(ROOT, 'samples')
  const rows = JSON.parse(readFileSync(join(folder, 'samples.json'), 'utf8')).filter((row) => row.mediaType === 'image')
  return ['real', 'fake'].flatMap((kind) => {
    const of = rows.filter((row) => (row.made === 'real') === (kind === 'real'))
    return spread(of, perKind).map((row) => ({
      file: join(folder, row.file),
      fake: kind === 'fake',
      source: `samples, ${row.made}`,
    }))
  })
}

/**
 * Makes one clip, unless it is there.
 * @param passages pictures with the seconds each is shown, in turn; all are brought to the size of the first
 */
export async function makeClip(ffmpeg, out, passages, index) {
  if (existsSync(out)) return
  const { width, height } = await sharp(passages[0].file).metadata()
  const scale = Math.min(1, MOST_HEIGHT / (height * SHOWN))
  const even = (value) => 2 * Math.floor((value * SHOWN * scale) / 2)
  const size = `scale=${even(width)}:${even(height)}:flags=lanczos`
  const inputs = passages.flatMap(({ file, seconds }) => {
    return ['-loop', '1', '-framerate', String(RATE), '-t', String(seconds), '-i', file]
  })
  const pans = passages.map(({ seconds }, at) => {
    const moved = `t/${seconds}`
    const pan = `crop=w=iw*${SHOWN}:h=ih*${SHOWN}:x=(iw-ow)*${moved}:y=(ih-oh)*${moved}:exact=1`
    return `[${at}:v]${pan},${size},setsar=1,format=yuv420p[p${at}]`
  })
  const joined = `${passages.map((_, at) => `[p${at}]`).join('')}concat=n=${passages.length}:v=1:a=0[out]`
  const quality = String(QUALITIES[index % QUALITIES.length])
  const codec = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', quality, '-g', String(2 * RATE), '-threads', '1']
  const filters = ['-filter_complex', [...pans, joined].join(';'), '-map', '[out]']
  execFileSync(ffmpeg, ['-nostdin', '-loglevel', 'error', '-y', ...inputs, ...filters, ...codec, '-bitexact', out])
}

function sourceOf({ label, source, generator }) {
  return label === 'fake' ? generator : source
}

function grouped(rows) {
  const groups = new Map()
  for (const row of rows) groups.set(sourceOf(row), [...(groups.get(sourceOf(row)) ?? []), row])
  return groups
}

/** Evenly spread members of a list, always the same ones. */
function spread(list, count) {
  if (list.length <= count) return list
  return Array.from({ length: count }, (_, index) => list[Math.floor(((index + 0.5) / count) * list.length)])
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { resized, resizedFast, type WideKernel } from '../../../src/detect/image/resample.js'
import { resizeKernel } from '../../../src/detect/package/image-plan.js'

const whole = z.int().min(0)
/** What Pillow gives, as test/vectors/make-resample-vectors.py describes it. */
const vectors = z
  .array(
    z.strictObject({
      drawing: z.enum(['ramp', 'noise', 'scene']),
      size: z.tuple([whole, whole]),
      area: z.tuple([whole, whole, whole, whole]),
      to: z.tuple([whole, whole]),
      kernel: resizeKernel,
      digest: z.string(),
      every: whole,
      bytes: z.string(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('../../vectors/resample-vectors.json', import.meta.url), 'utf8')))

type Vector = (typeof vectors)[number]

function drawn({ drawing, size: [width, height] }: Pick<Vector, 'drawing' | 'size'>) {
  const byte = (at: number) => {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)]
    if (drawing === 'noise') return Math.imul(at, 2_654_435_761) >>> 24
    if (drawing === 'ramp') return Math.floor((x * 255) / (width - 1))
    const waves = Math.abs((x % 160) - 80) + Math.abs(((y + 40 * (at % 3)) % 200) - 100)
    return waves + (x > 200 && x < 400 && y > 150 && y < 350 ? 60 : 0)
  }
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < pixels.length; at++) pixels[at] = byte(at)
  return { pixels, width, height }
}

function cutOf({ area: [left, top, width, height], ...picture }: Vector) {
  return { picture: drawn(picture), area: { left, top, width, height } }
}

function resizedAs(vector: Vector) {
  return resized(cutOf(vector), ...vector.to, vector.kernel)
}

/** Largest difference of the bytes that the vector holds, in levels of 255. */
function farthest(pixels: Buffer, { every, bytes }: Vector): number {
  const wanted = Buffer.from(bytes, 'base64')
  return Math.max(...wanted.map((byte, index) => Math.abs(byte - (pixels[index * every] as number))))
}

const isCoarse = ({ area, to, kernel }: Vector) =>
  kernel !== 'nearest' && kernel !== 'box' && (area[2] > 4 * to[0] || area[3] > 4 * to[1])
const name = ({ drawing, size, area, to, kernel }: Vector) =>
  `${drawing} ${size.join('x')}, cut ${area.join(' ')}, to ${to.join('x')} by ${kernel}`

describe('resized returns the bytes of Pillow', () => {
  it.each(vectors.filter((one) => !isCoarse(one)).map((one) => [name(one), one] as const))('%s', async (_, vector) => {
    const { pixels, width, height } = await resizedAs(vector)
    expect([width, height, pixels.length]).toEqual([...vector.to, 3 * vector.to[0] * vector.to[1]])
    expect(farthest(pixels, vector)).toBe(0)
    expect(createHash('sha256').update(pixels).digest('hex')).toBe(vector.digest)
  })
})

describe('more than four times smaller, it is within a level of Pillow', () => {
  it.each(vectors.filter(isCoarse).map((one) => [name(one), one] as const))('%s', async (_, vector) => {
    const { pixels } = await resizedAs(vector)
    expect(pixels).toHaveLength(3 * vector.to[0] * vector.to[1])
    expect(farthest(pixels, vector)).toBeLessThanOrEqual(1)
  })
})

describe('resizedFast, which the views of shipped networks use', () => {
  const isWide = (vector: Vector): vector is Vector & { kernel: WideKernel } =>
    !['nearest', 'box'].includes(vector.kernel)
  const becomesSmaller = ({ area, to }: Vector) => area[2] > to[0] && area[3] > to[1]
  const wide = vectors.filter(isWide).map((vector) => [name(vector), vector] as const)

  it.each(wide.filter(([, vector]) => !becomesSmaller(vector)))(
    'returns the bytes of Pillow: %s',
    async (_, vector) => {
      const { pixels } = await resizedFast(cutOf(vector), ...vector.to, vector.kernel)
      expect(createHash('sha256').update(pixels).digest('hex')).toBe(vector.digest)
    },
  )

  it.each(wide.filter(([, vector]) => becomesSmaller(vector)))(
    'is close to them, except at edges: %s',
    async (_, vector) => {
      const exact = await resizedAs(vector)
      const { pixels, ...size } = await resizedFast(cutOf(vector), ...vector.to, vector.kernel)
      expect(size).toEqual({ width: exact.width, height: exact.height })
      const far = pixels.filter((byte, index) => Math.abs(byte - (exact.pixels[index] as number)) > 2)
      expect(far.length / pixels.length).toBeLessThan(0.02)
    },
  )
})

import { describe, expect, it } from 'vitest'
import type { ReadMedia } from '../../../src/detect/contract/medium-reader.js'
import type { TextPreprocessing } from '../../../src/detect/package/preprocessing.js'
import { MAX_TEXT_BYTES } from '../../../src/detect/text/decode.js'
import { readText } from '../../../src/detect/text/text-reader.js'
import { collected } from '../../support/chunks.js'
import { filesForAll } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const PLAN: TextPreprocessing = {
  kind: 'text',
  normalize: true,
  minCharacters: 180,
  windowCharacters: 400,
  maxWindows: 4,
  languages: ['en', 'ru'],
  features: { kind: 'hashed-ngrams', characters: [1, 3], buckets: 1024, style: false },
}
const STORY =
  'I kept the old bicycle because nobody would buy it, and because my uncle had once ridden it to the coast. ' +
  'The chain skips on hills. One brake works. Last spring a boy asked if he could have a go, so off he went down the lane. '
const SPANISH =
  'Nadie le había dicho al panadero que el puente estaba cerrado, así que dio la vuelta al lago con su pan. ' +
  'Cuando llegó al pueblo ya era de noche y las ventanas de la plaza tenían luz, pero la tienda seguía abierta. ' +
  'Su hermana lo esperaba junto a la fuente con una cesta vacía y muchas preguntas sobre el camino.'
/** Words that no language has, none of them twice. */
const BABBLE = Array.from({ length: 100 }, (_, index) =>
  [7, 3, 9, 1].map((step) => 'qxzjvwkbfp'[Math.floor(index / step + index * step) % 10]).join(''),
).join(' ')

const fileWith = filesForAll()

async function read(content: string | Buffer, plan = PLAN): Promise<ReadMedia> {
  return readText(await fileWith(content), plan, (passage) => [
    { type: 'float32', values: Float32Array.of(passage.length), shape: [1] },
  ])
}

const names = async (media: ReadMedia) => (await collected(media.parts())).map(({ name }) => name)

describe('readText', () => {
  it('passes raw text to a model of raw text, and checks the normalized text as well', async () => {
    const written = `# Title\n\n**${STORY}**\n`
    const lengths = async (plan: TextPreprocessing) => {
      const parts = await collected((await read(written, plan)).parts())
      return parts.map(({ inputs }) => Number(inputs[0]?.values[0]))
    }
    expect(await lengths({ ...PLAN, normalize: false })).toEqual([written.length])
    expect(await lengths(PLAN)).toEqual([STORY.trim().length])
    const windows = await names(await read(written.repeat(3), { ...PLAN, normalize: false }))
    expect(windows.length).toBeGreaterThan(1)
    expect(windows.at(-1)).toMatch(new RegExp(`-${written.length * 3}$`))
    await expect(read(`*${' '.repeat(300)}a`, { ...PLAN, normalize: false })).rejects.toThrow(
      withReason('media-too-short'),
    )
  })

  it('reports encoding, language and length, and names passages by characters', async () => {
    const media = await read(`\ufeff${STORY.repeat(4)}`)
    expect(media.summary).toBe('utf-8 text, en, 903 characters')
    expect(media.length).toBe(903)
    expect(await names(media)).toEqual(['characters 0-332', 'characters 332-601', 'characters 601-903'])
  })

  it('scores as many windows as the package states, the first and the last among them', async () => {
    const found = await names(await read(STORY.repeat(40)))
    expect(found).toHaveLength(4)
    expect(found[0]).toMatch(/^characters 0-/)
    expect(found.at(-1)).toMatch(/-9039$/)
  })

  it('has one more window for the verdict "real" of a text with more of them, at a place that follows from its bytes', async () => {
    const spotOf = async (content: string) => {
      const media = await read(content)
      const [spot] = await collected(media.spotCheck?.() ?? [])
      return { judged: await names(media), spot: spot && (await collected(spot.parts))[0]?.name }
    }
    const spots = await Promise.all(['', ' ', '  ', '   ', '    '].map((end) => spotOf(STORY.repeat(40) + end)))
    for (const { judged, spot } of spots) expect(judged).not.toContain(spot)
    expect(new Set(spots.map(({ spot }) => spot)).size).toBeGreaterThan(1)
    expect((await spotOf(STORY.repeat(4))).spot).toBeUndefined()
  })

  it('returns variants that are long enough', async () => {
    const variants = await collected((await read(STORY.repeat(2))).variants())
    expect(variants.map(({ name }) => name)).toEqual([
      'without the first sentence',
      'without the last sentence',
      'commas for dashes, no quotes',
    ])
  })

  it.each([
    ['no bytes', '', 'media-empty'],
    ['spaces only', ' \n\t '.repeat(100), 'media-too-short'],
    ['a short text', STORY.slice(0, 170), 'media-too-short'],
    ['a text that markup makes look long', `${STORY.slice(0, 100)}${'*'.repeat(100)}`, 'media-too-short'],
    ['another language', SPANISH, 'language-unsupported'],
    ['no language', BABBLE, 'language-unsupported'],
    ['a word over and over', 'hello '.repeat(60), 'media-featureless'],
    ['code', 'const total = items.map((item) => item.price).reduce((a, b) => a + b, 0);\n'.repeat(6), 'media-is-code'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]), 'media-type-mismatch'],
    ['more than the cap', Buffer.alloc(MAX_TEXT_BYTES + 1, 'a '), 'media-too-large'],
  ])('refuses %s', async (_, content, reason) => {
    await expect(read(content)).rejects.toMatchObject({ reason })
  })

  it('handles hostile white space and brackets in time', async () => {
    const hostile = `${STORY}${' \n'.repeat(400_000)}${'['.repeat(200_000)}${'-'.repeat(200_000)}${'" '.repeat(100_000)}`
    const media = await read(hostile).catch((error: { reason?: string }) => error.reason)
    expect(media).toBeDefined()
  })
})

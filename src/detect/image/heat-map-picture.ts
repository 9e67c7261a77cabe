import { riskText } from '../../core/risk.js'
import type { HeatMap } from '../contract/measurement.js'
import type { Picture } from '../contract/picture.js'
import { imageLibrary } from './image-library.js'
import { rawImage } from './picture.js'

/** Risk by place: rows of cells that cover the picture evenly, each the mean of the pieces that it lies in. */
export interface RiskGrid {
  readonly columns: number
  readonly rows: number
  /** Row by row, [0, 1]. */
  readonly risks: readonly number[]
}

/** Longest side of the picture under the map, px. */
const MAX_SIDE = 1600
/** Shortest side that a picture is drawn at, so that the legend can be read. */
const MIN_WIDTH = 320
/** How much the colors cover the picture, 0 to 255. */
const OPACITY = 140
/** Height of the legend under the picture, px. */
const LEGEND = 48
/** Size of a dot of the legend's digits, px. */
const DOT = 2
/** Colors of the risks 0, 0.5 and 1: blue, pale yellow, red, distinguished by the color-blind too (ColorBrewer RdYlBu). */
const COLORS = [
  [49, 54, 149],
  [255, 255, 191],
  [165, 0, 38],
] as const

type Color = readonly [number, number, number]

/** Lowest and highest risk of a piece, [0, 1]. */
type Ends = Pick<HeatMap, 'lowest' | 'highest'>

/** Writes a PNG: the picture in gray, the risks over it, and under it a scale from 0 to 100 with the lowest and highest marked. */
export async function drawRisks(picture: Picture, grid: RiskGrid, ends: Ends, out: string): Promise<void> {
  const { width, height } = drawnSize(picture)
  const base = await rawImage(picture)
    .resize(width, height, { fit: 'fill' })
    .modulate({ saturation: 0 })
    .raw()
    .toBuffer()
  const cells = Buffer.from(grid.risks.flatMap((risk) => [...colorOf(risk), OPACITY]))
  const layer = await imageLibrary(cells, { raw: { width: grid.columns, height: grid.rows, channels: 4 } })
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer()
  await imageLibrary(base, { raw: { width, height, channels: 3 } })
    .extend({ bottom: LEGEND, background: '#ffffff' })
    .composite([
      { input: layer, raw: { width, height, channels: 4 }, left: 0, top: 0 },
      { input: legend(width, ends), raw: { width, height: LEGEND, channels: 4 }, left: 0, top: height },
    ])
    .png()
    .toFile(out)
}

function drawnSize({ width, height }: Picture): { width: number; height: number } {
  const scale = Math.min(MAX_SIDE / Math.max(width, height), Math.max(1, MIN_WIDTH / width))
  return { width: Math.max(MIN_WIDTH, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The color of a risk, between those of the scale. */
export function colorOf(risk: number): Color {
  const [from, to, share] = risk < 0.5 ? [COLORS[0], COLORS[1], risk * 2] : [COLORS[1], COLORS[2], risk * 2 - 1]
  const mixed = from.map((value, index) => Math.round(value + ((to[index] as number) - value) * share))
  return mixed as unknown as Color
}

/** The scale, the numbers 0 and 100 at its ends, and the lowest and highest risk of the map at their places under it. */
function legend(width: number, { lowest, highest }: Ends): Buffer {
  const pixels = Buffer.alloc(width * LEGEND * 4, 255)
  const set = (x: number, y: number, [r, g, b]: Color) => {
    if (x >= 0 && x < width && y >= 0 && y < LEGEND) pixels.set([r, g, b, 255], (y * width + x) * 4)
  }
  const margin = GLYPH_WIDTH * DOT * 4
  const place = (risk: number) => margin + Math.round(risk * (width - 2 * margin))
  for (let x = place(0); x <= place(1); x++) {
    for (let y = 8; y < 22; y++) set(x, y, colorOf((x - place(0)) / (place(1) - place(0))))
  }
  write(set, '0', margin / 2 - GLYPH_WIDTH * DOT, 8)
  write(set, '100', width - margin + DOT * 2, 8)
  const room = GLYPH_WIDTH * DOT * 5
  const low = place(lowest)
  // Where the two lie close together they are written side by side.
  const high = Math.max(place(highest), low + room)
  for (const risk of [lowest, highest]) for (let y = 4; y < 28; y++) set(place(risk), y, [0, 0, 0])
  write(set, riskText(lowest, 1), Math.min(low - room / 2, width - 2 * room), 32)
  write(set, riskText(highest, 1), Math.min(high - room / 2, width - room), 32)
  return pixels
}

function write(set: (x: number, y: number, color: Color) => void, text: string, left: number, top: number): void {
  for (const [index, rows] of digitsOf(text).entries()) {
    for (let y = 0; y < GLYPH_HEIGHT * DOT; y++) {
      for (let x = 0; x < (GLYPH_WIDTH - 1) * DOT; x++) {
        const isInk = rows[Math.floor(y / DOT)]?.[Math.floor(x / DOT)] === '#'
        if (isInk) set(Math.round(left) + index * GLYPH_WIDTH * DOT + x, top + y, [0, 0, 0])
      }
    }
  }
}

/** Width of a character with the gap behind it, dots. */
const GLYPH_WIDTH = 4
/** Height of a character, dots: as many rows as `digitsOf` gives for each. */
const GLYPH_HEIGHT = 5

// Drawn by hand: a server has no fonts, and the text renderer of libvips needs them.
const GLYPHS: Record<string, readonly string[]> = {
  '0': ['###', '# #', '# #', '# #', '###'],
  '1': [' # ', '## ', ' # ', ' # ', '###'],
  '2': ['###', '  #', '###', '#  ', '###'],
  '3': ['###', '  #', ' ##', '  #', '###'],
  '4': ['# #', '# #', '###', '  #', '  #'],
  '5': ['###', '#  ', '###', '  #', '###'],
  '6': ['###', '#  ', '###', '# #', '###'],
  '7': ['###', '  #', ' # ', ' # ', ' # '],
  '8': ['###', '# #', '###', '# #', '###'],
  '9': ['###', '# #', '###', '  #', '###'],
  '.': ['   ', '   ', '   ', '   ', ' # '],
}

/** The rows of dots of each character of a number; `#` is ink. */
const digitsOf = (text: string): (readonly string[])[] => [...text].map((character) => GLYPHS[character] ?? [])

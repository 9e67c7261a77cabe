import { asRisk, type Risk } from '../../core/risk.js'
import type { HeatMap } from '../contract/measurement.js'
import type { Picture } from '../contract/picture.js'
import { drawRisks, type RiskGrid } from './heat-map-picture.js'
import { keptArea } from './image-crops.js'
import type { Area } from './image-tensor.js'

/** A piece is at most this share of the short side wide and high: small enough to tell a face from the wall behind it. */
const PIECE_SHARE = 1 / 3
/** Distance of two pieces as a share of their side; each spot lies in about nine of them. */
const STEP_SHARE = 1 / 3
/** Most pieces of one picture; those of a long strip lie further apart. */
const MAX_PIECES = 256

/**
 * Scores square pieces of a picture one by one, by the detector's own network and calibration, and writes a PNG of
 * the picture with their risks laid over it. A piece is seen closer than the whole is, so the map tells where the
 * network finds what it looks for, and does not add up to the risk of the picture.
 * @param out absolute path of the PNG
 * @param riskOf calibrated risk of one piece
 * @throws AttestdError media-*, detector-failed
 */
export async function drawHeatMap(
  picture: Picture,
  out: string,
  riskOf: (area: Area) => Promise<Risk>,
): Promise<HeatMap> {
  const squares = pieces(picture.width, picture.height)
  const risks: Risk[] = []
  for (const square of squares) risks.push(await riskOf(square))
  const ends = { lowest: asRisk(Math.min(...risks)), highest: asRisk(Math.max(...risks)) }
  await drawRisks(picture, riskGrid(picture.width, picture.height, squares, risks), ends, out)
  return { pieces: risks.length, ...ends }
}

/** Squares that overlap and reach every edge, row by row; of a strip, its middle, as the detector sees it. */
export function pieces(width: number, height: number): Area[] {
  const area = keptArea(width, height)
  const side = Math.max(1, Math.round(Math.min(area.width, area.height) * PIECE_SHARE))
  for (let share = STEP_SHARE; ; share *= 1.25) {
    const lefts = steps(area.left, area.width - side, side * share)
    const tops = steps(area.top, area.height - side, side * share)
    if (lefts.length * tops.length <= MAX_PIECES)
      return tops.flatMap((top) => lefts.map((left) => ({ left, top, width: side, height: side })))
  }
}

/** Whole numbers from `start` to `start + room`, both included, about `step` apart. */
function steps(start: number, room: number, step: number): number[] {
  const count = Math.ceil(room / step)
  return Array.from({ length: count + 1 }, (_, index) => start + (count === 0 ? 0 : Math.round((room * index) / count)))
}

/** The mean risk at the middle of each cell; a cell outside all pieces (the ends of a strip) takes the nearest one's. */
export function riskGrid(width: number, height: number, squares: readonly Area[], risks: readonly number[]): RiskGrid {
  const side = squares[0]?.width ?? 1
  const columns = Math.max(1, Math.round((width / side) * 3))
  const rows = Math.max(1, Math.round((height / side) * 3))
  const cell = (index: number) => {
    const x = (((index % columns) + 0.5) * width) / columns
    const y = ((Math.floor(index / columns) + 0.5) * height) / rows
    return riskAt(x, y, squares, risks)
  }
  return { columns, rows, risks: Array.from({ length: columns * rows }, (_, index) => cell(index)) }
}

function riskAt(x: number, y: number, squares: readonly Area[], risks: readonly number[]): number {
  const distances = squares.map(({ left, top, width: side }) =>
    Math.max(Math.abs(x - left - side / 2), Math.abs(y - top - side / 2)),
  )
  const nearest = Math.min(...distances)
  const half = (squares[0]?.width ?? 1) / 2
  const near = risks.filter((_, index) => (distances[index] as number) <= Math.max(half, nearest))
  return near.reduce((sum, risk) => sum + risk, 0) / near.length
}

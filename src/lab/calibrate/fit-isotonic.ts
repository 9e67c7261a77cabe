import { type CalibrationRow, plattTargets } from './calibration-row.js'

/** Knots that a manifest may hold. */
const MAX_KNOTS = 200

interface Block {
  weight: number
  /** Weighted sums. */
  logit: number
  fakes: number
}

export interface Knots {
  /** Rising. */
  readonly logits: number[]
  /** Not falling. */
  readonly risks: number[]
}

/**
 * The best rising step function by pooling adjacent violators (Ayer et al. 1955), one knot at the mean logit of each
 * step. Risks stay within the targets of Platt, so that none is 0 or 1. One knot alone where the rows state nothing.
 */
export function fitIsotonic(rows: readonly CalibrationRow[]): Knots {
  const targets = plattTargets(rows)
  const blocks: Block[] = []
  for (const { weight, logit, fakes } of byLogit(rows)) {
    blocks.push({ weight, logit, fakes })
    for (let last = blocks.length - 1; last > 0 && !rises(blocks[last - 1] as Block, blocks[last] as Block); last--)
      mergeInto(blocks, last - 1)
  }
  while (blocks.length > MAX_KNOTS) mergeInto(blocks, lightestPair(blocks))
  return {
    logits: blocks.map(({ logit, weight }) => rounded(logit / weight)),
    risks: blocks.map(({ fakes, weight }) => rounded(Math.min(targets.fake, Math.max(targets.real, fakes / weight)))),
  }
}

/** Rows of one logit as one block, rising. */
function byLogit(rows: readonly CalibrationRow[]): Block[] {
  const blocks = new Map<number, Block>()
  for (const { logit, fake, weight } of rows) {
    const at = rounded(logit)
    const block = blocks.get(at) ?? { weight: 0, logit: 0, fakes: 0 }
    block.weight += weight
    block.logit += weight * at
    block.fakes += fake ? weight : 0
    blocks.set(at, block)
  }
  return [...blocks.values()].toSorted((a, b) => a.logit / a.weight - b.logit / b.weight)
}

const rises = (before: Block, after: Block): boolean => after.fakes / after.weight > before.fakes / before.weight

function mergeInto(blocks: Block[], index: number): void {
  const [into, from] = blocks.splice(index, 2) as [Block, Block]
  const merged = { weight: into.weight + from.weight, logit: into.logit + from.logit, fakes: into.fakes + from.fakes }
  blocks.splice(index, 0, merged)
}

function lightestPair(blocks: readonly Block[]): number {
  const weightAt = (index: number) => (blocks[index]?.weight ?? 0) + (blocks[index + 1]?.weight ?? 0)
  let lightest = 0
  for (let index = 1; index < blocks.length - 1; index++) if (weightAt(index) < weightAt(lightest)) lightest = index
  return lightest
}

const rounded = (value: number): number => Number(value.toFixed(6))

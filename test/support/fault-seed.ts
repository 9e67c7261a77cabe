import { createHash } from 'node:crypto'
import kept from '../faults/seeds.json' with { type: 'json' }
import type { Api } from './daemon-bench.js'

/** The kept seeds of a scenario on an API, or those of FAULT_SEEDS (comma-separated) to hunt with others. */
export function seedsOf(scenario: keyof (typeof kept)[Api], api: Api): readonly string[] {
  const others = process.env.FAULT_SEEDS
  return others ? others.split(',') : kept[api][scenario]
}

/** A number in [0, 1) of the seed and what it is for: the same in every run, whatever happened before. */
export function draw(seed: string, ...what: readonly (string | number)[]): number {
  const text = JSON.stringify([seed, ...what])
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48
}

/** A whole number from `least` to `most`, both included. */
export function drawBetween(least: number, most: number, seed: string, ...what: readonly (string | number)[]): number {
  return least + Math.floor(draw(seed, ...what) * (most - least + 1))
}

export function pick<T>(choices: readonly T[], seed: string, ...what: readonly (string | number)[]): T {
  return choices[Math.floor(draw(seed, ...what) * choices.length)]!
}

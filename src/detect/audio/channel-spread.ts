/** A channel that has more than this of its power in common with the mean is the same sound. */
const SAME_SHARE = 0.9
/** A channel of less than this share of the loudest one's power is not heard next to it. */
const AUDIBLE_SHARE = 0.01
/** Most channels that are heard alone. */
const MOST_APART = 4

/** Measures how far channels are something else than their mean, which is what a detector hears. */
export class ChannelSpread {
  /** Of each channel: its power, and what it has in common with the mean. */
  readonly #sums: { power: number; common: number }[] = []
  #meanPower = 0

  /** @param mean of the channels, at most as long as they are */
  add(channels: readonly Float32Array[], mean: Float32Array): void {
    if (channels.length < 2) return
    for (const sample of mean) this.#meanPower += sample * sample
    for (const [index, samples] of channels.entries()) {
      this.#sums[index] ??= { power: 0, common: 0 }
      const sums = this.#sums[index] as { power: number; common: number }
      for (let at = 0; at < mean.length; at++) {
        const sample = samples[at] as number
        sums.power += sample * sample
        sums.common += sample * (mean[at] as number)
      }
    }
  }

  /** Channels that are heard and are not the mean, louder or softer; from 0, the loudest first. */
  apart(): number[] {
    const audible = AUDIBLE_SHARE * Math.max(0, ...this.#sums.map(({ power }) => power))
    return [...this.#sums.entries()]
      .filter(([, { power, common }]) => power > audible && common ** 2 < SAME_SHARE * power * this.#meanPower)
      .sort(([, a], [, b]) => b.power - a.power)
      .slice(0, MOST_APART)
      .map(([channel]) => channel)
  }
}

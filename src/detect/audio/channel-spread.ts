/** A channel that has more than this of its power in common with the mean is the same sound. */
const SAME_SHARE = 0.9
/** A channel of less than this share of the loudest one's power is not heard next to it ... */
const AUDIBLE_SHARE = 0.01
/** ... unless there are more than two: of those players drop the one for low frequencies, whatever it holds. */
const AUDIBLE_SHARE_OF_MANY = 0.0001
/** Most channels that are heard alone. */
const MOST_APART = 4
/** Stretches that are looked at for themselves: about a syllable. */
const STRETCH_SECONDS = 0.25
/** Channels cancel each other out where their mean has less than this of the power of a mean of independent ones. */
const CANCELED_SHARE = 0.25
/** More of it than this is no chance, seconds. */
const MOST_CANCELED_SECONDS = 1

/** Of some stretch, each a sum over samples. */
class Powers {
  /** Of each channel: its power, and what it has in common with the mean. */
  readonly channels: { power: number; common: number }[] = []
  mean = 0
  samples = 0

  add(channels: readonly Float32Array[], mean: Float32Array): void {
    this.samples += mean.length
    for (const sample of mean) this.mean += sample * sample
    for (const [index, samples] of channels.entries()) {
      this.channels[index] ??= { power: 0, common: 0 }
      const sums = this.channels[index] as { power: number; common: number }
      for (let at = 0; at < mean.length; at++) {
        const sample = samples[at] as number
        sums.power += sample * sample
        sums.common += sample * (mean[at] as number)
      }
    }
  }

  get all(): number {
    return this.channels.reduce((sum, { power }) => sum + power, 0)
  }

  get isCanceled(): boolean {
    return this.mean < (CANCELED_SHARE * this.all) / this.channels.length ** 2
  }
}

/** Measures how far channels are something else than their mean, which is what a detector hears. */
export class ChannelSpread {
  readonly #whole = new Powers()
  readonly #stretches: Powers[] = []

  /** @param mean of the channels, at most as long as they are @param rate samples a second */
  add(channels: readonly Float32Array[], mean: Float32Array, rate: number): void {
    if (channels.length < 2) return
    this.#whole.add(channels, mean)
    const length = Math.ceil(rate * STRETCH_SECONDS)
    for (let at = 0; at < mean.length; ) {
      if ((this.#stretches.at(-1)?.samples ?? length) >= length) this.#stretches.push(new Powers())
      const last = this.#stretches.at(-1) as Powers
      const to = Math.min(mean.length, at + length - last.samples)
      last.add(
        channels.map((samples) => samples.subarray(at, to)),
        mean.subarray(at, to),
      )
      at = to
    }
  }

  /** Channels that are heard and are not the mean, louder or softer; from 0, the loudest first. */
  apart(): number[] {
    const { channels, mean } = this.#whole
    const share = channels.length > 2 ? AUDIBLE_SHARE_OF_MANY : AUDIBLE_SHARE
    const audible = share * Math.max(0, ...channels.map(({ power }) => power))
    const isCanceled = this.#canceledSeconds() > MOST_CANCELED_SECONDS
    return [...channels.entries()]
      .filter(([, { power, common }]) => power > audible && (isCanceled || common ** 2 < SAME_SHARE * power * mean))
      .sort(([, a], [, b]) => b.power - a.power)
      .slice(0, MOST_APART)
      .map(([channel]) => channel)
  }

  /** For how long the mean lacks what is heard: its channels, or most of them, are each other's opposite. */
  #canceledSeconds(): number {
    const audible = AUDIBLE_SHARE * Math.max(0, ...this.#stretches.map(({ all }) => all))
    return STRETCH_SECONDS * this.#stretches.filter((each) => each.all > audible && each.isCanceled).length
  }
}

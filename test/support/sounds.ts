/** A tone of full scale times `level`. @param rate samples a second */
export function sine(frequency: number, rate: number, seconds: number, level = 1): Float32Array {
  return Float32Array.from(
    { length: Math.round(seconds * rate) },
    (_, index) => level * Math.sin((2 * Math.PI * frequency * index) / rate),
  )
}

/** White noise, the same for the same seed: the generator of Numerical Recipes. */
export function whiteNoise(samples: number, level: number, seed = 1): Float32Array {
  let state = seed
  return Float32Array.from({ length: samples }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return level * (state / 2 ** 31 - 1)
  })
}

/** The sounds one after the other. */
export function inRow(...sounds: Float32Array[]): Float32Array {
  return Float32Array.from(sounds.flatMap((sound) => [...sound]))
}

/** The sounds over each other, as long as the first. */
export function mixed(first: Float32Array, ...others: Float32Array[]): Float32Array {
  return first.map((sample, index) => others.reduce((sum, sound) => sum + (sound[index] ?? 0), sample))
}

/** Mean power of the middle of a sound, dB against that of a full-scale sine; the ends are left out. */
export function levelOf(sound: Float32Array): number {
  const middle = sound.subarray(Math.floor(sound.length / 4), Math.floor((sound.length * 3) / 4))
  return 10 * Math.log10((2 * middle.reduce((sum, sample) => sum + sample * sample, 0)) / middle.length)
}

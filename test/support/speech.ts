/** Formants of the vowels a, i, u, Hz, with their bandwidths: Peterson and Barney (1952), rounded. */
const VOWELS = [
  [730, 1090, 2440],
  [270, 2290, 3010],
  [300, 870, 2240],
]
const BANDWIDTHS = [90, 110, 170]
/** Length of a syllable and of the pause behind it, seconds. */
const SYLLABLE_SECONDS = 0.22
const PAUSE_SECONDS = 0.06

/**
 * A sound like speech: harmonics of a moving voice under the formants of changing vowels, in syllables with pauses.
 * @param rate samples a second
 */
export function speechLike(seconds: number, rate: number): Float32Array {
  let phase = 0
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, index) => {
    const time = index / rate
    const pitch = 130 + 25 * Math.sin(2 * Math.PI * 0.7 * time)
    phase += (2 * Math.PI * pitch) / rate
    const syllable = SYLLABLE_SECONDS + PAUSE_SECONDS
    const within = (time % syllable) / SYLLABLE_SECONDS
    if (within >= 1) return 0
    const formants = VOWELS[Math.floor(time / syllable) % VOWELS.length] as number[]
    let sum = 0
    for (let harmonic = 1; harmonic * pitch < Math.min(rate / 2, 7000); harmonic++)
      sum += loudness(harmonic * pitch, formants) * Math.sin(harmonic * phase)
    return 0.12 * Math.sin(Math.PI * within) * sum
  })
}

function loudness(frequency: number, formants: readonly number[]): number {
  const peaks = formants.map((formant, index) => {
    const width = BANDWIDTHS[index] as number
    return width ** 2 / ((frequency - formant) ** 2 + width ** 2)
  })
  return 0.02 + peaks.reduce((sum, peak) => sum + peak, 0)
}

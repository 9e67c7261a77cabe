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

/** What was made at each rate so far, and the phase at its end: making a second of it takes 50 ms. */
const made = new Map<number, { samples: Float32Array; phase: number }>()

/**
 * A sound like speech: harmonics of a moving voice under the formants of changing vowels, in syllables with pauses.
 * @param rate samples a second
 */
export function speechLike(seconds: number, rate: number): Float32Array {
  const length = Math.round(seconds * rate)
  const known = made.get(rate) ?? { samples: new Float32Array(0), phase: 0 }
  const spoken = known.samples.length < length ? continued(known, length, rate) : known
  made.set(rate, spoken)
  return spoken.samples.slice(0, length)
}

function continued({ samples, phase }: { samples: Float32Array; phase: number }, length: number, rate: number) {
  const longer = new Float32Array(length)
  longer.set(samples)
  for (let index = samples.length; index < length; index++) {
    const time = index / rate
    const pitch = 130 + 25 * Math.sin(2 * Math.PI * 0.7 * time)
    phase += (2 * Math.PI * pitch) / rate
    longer[index] = sampleAt(time, pitch, phase, rate)
  }
  return { samples: longer, phase }
}

function sampleAt(time: number, pitch: number, phase: number, rate: number): number {
  const syllable = SYLLABLE_SECONDS + PAUSE_SECONDS
  const within = (time % syllable) / SYLLABLE_SECONDS
  if (within >= 1) return 0
  const formants = VOWELS[Math.floor(time / syllable) % VOWELS.length] as number[]
  let sum = 0
  for (let harmonic = 1; harmonic * pitch < Math.min(rate / 2, 7000); harmonic++)
    sum += loudness(harmonic * pitch, formants) * Math.sin(harmonic * phase)
  return 0.12 * Math.sin(Math.PI * within) * sum
}

function loudness(frequency: number, formants: readonly number[]): number {
  const peaks = formants.map((formant, index) => {
    const width = BANDWIDTHS[index] as number
    return width ** 2 / ((frequency - formant) ** 2 + width ** 2)
  })
  return 0.02 + peaks.reduce((sum, peak) => sum + peak, 0)
}

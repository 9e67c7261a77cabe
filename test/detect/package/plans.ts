/** Preprocessing that a manifest takes, of each kind. */
export const NORMALIZE = { mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] }

export const IMAGE = {
  kind: 'image',
  resize: { shortSide: 256, kernel: 'lanczos3' },
  crops: { size: 224, positions: 'five' },
  normalize: NORMALIZE,
}

export const AUDIO = {
  kind: 'audio',
  sampleRate: 16_000,
  window: { samples: 400, hop: 1 },
  maxWindows: 8,
  padding: 'zero',
  minSpeechShare: 0.5,
  minSpeechSeconds: 0,
}

export const TEXT = {
  kind: 'text',
  windowCharacters: 100,
  maxWindows: 1,
  languages: ['en'],
  features: { kind: 'hashed-ngrams', characters: [1, 8], buckets: 1024 },
}

export const VIDEO = { kind: 'video', maxFrames: 8, windowSeconds: 2 }

export const VIEWS = {
  kind: 'image-views',
  whole: { shortSide: 224, maxAspect: 1.5, kernel: 'cubic' },
  normalize: NORMALIZE,
}

/** A copy with one field replaced; `a.b` is a field of a field. */
export function having(whole: object, at: string, value: unknown): unknown {
  const copy = structuredClone(whole) as Record<string, unknown>
  const keys = at.split('.')
  const parent = keys.slice(0, -1).reduce((tree, key) => tree[key] as Record<string, unknown>, copy)
  parent[keys.at(-1) as string] = value
  return copy
}

import { z } from 'zod'
import { imagePreprocessing } from './image-plan.js'
import { imageViewsPreprocessing } from './image-views.js'
import { relativePath } from './package-file.js'

/** Where a package does not state its own: below this many normalized characters prose cannot be judged (README of the text pack). */
export const DEFAULT_MIN_CHARACTERS = 180

/** Second input of a network of sound that takes it, as Wav2Vec2FeatureExtractor names it: which samples were heard. */
export const AUDIO_MASK = 'attention_mask'

/** Mono samples at one rate, speech found first, cut into windows of one length. */
const audioPreprocessing = z.strictObject({
  kind: z.literal('audio'),
  /** Samples a second the model was trained with. */
  sampleRate: z.int().min(8000).max(48_000),
  /** Length of a window and distance between the starts of two, in samples. */
  window: z.strictObject({ samples: z.int().min(400), hop: z.int().min(1) }),
  /** Most windows that are scored; of more, this many spread evenly. */
  maxWindows: z.int().min(1).max(256),
  /** What a recording shorter than a window is filled up with; `none` for a network that takes any length. */
  padding: z.enum(['repeat', 'zero', 'none']),
  /** Share of speech a window must hold, 0 to 1; 0 turns the search for speech off. */
  minSpeechShare: z.number().min(0).max(1),
  /** Speech the whole recording must hold, seconds. */
  minSpeechSeconds: z.number().min(0),
  /** Up to where the speech must reach, Hz, for a detector that takes telephone sound for fake; absent: no matter. */
  minBandwidthHz: z.number().positive().max(24_000).optional(),
  /** What is done to the samples of a window before it is filled up, as the feature extractors of Hugging Face do. */
  normalize: z.enum(['none', 'zero-mean-unit-variance']).default('none'),
})

/** The tokens that a text encoder, or a model that counts their n-grams, takes. */
const tokenFields = {
  /** tokenizer.json of a Hugging Face export. */
  tokenizer: relativePath,
  tokenizerConfig: relativePath,
  maxTokens: z.int().min(8).max(8192),
}

/** Prose, normalized unless the model takes raw text, and cut into windows at sentence ends. */
const textPreprocessing = z.strictObject({
  kind: z.literal('text'),
  /** False: the model gets the text as it was written. What is checked, and counted in characters, is normalized either way. */
  normalize: z.boolean().default(true),
  minCharacters: z.int().min(1).default(DEFAULT_MIN_CHARACTERS),
  /** Longest window, in normalized characters. */
  windowCharacters: z.int().min(100),
  maxWindows: z.int().min(1).max(256),
  /** ISO 639-1 codes of the languages the detector was trained on; all else abstains. */
  languages: z.array(z.string().regex(/^[a-z]{2,3}$/)).min(1),
  features: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('hashed-ngrams'),
      /** Lengths of the character n-grams, shortest and longest. */
      characters: z.tuple([z.int().min(1), z.int().max(8)]),
      /** Lengths of the word n-grams; none without it. */
      words: z.tuple([z.int().min(1), z.int().max(8)]).optional(),
      /** Hash buckets of the character n-grams, and as many again for the words; a power of two. */
      buckets: z
        .int()
        .min(1024)
        .max(2 ** 24)
        .refine((buckets) => (buckets & (buckets - 1)) === 0, 'must be a power of two'),
      /** Whether the style measures of style-features.ts are the third input. */
      style: z.boolean().default(false),
      /** Tokens in addition to the n-grams: their inputs come after those. */
      tokens: z.strictObject(tokenFields).optional(),
    }),
    z.strictObject({ kind: z.literal('tokens'), ...tokenFields }),
  ]),
})

/** Frames of a video, each looked at by the image detector that the runtime names. */
const videoPreprocessing = z.strictObject({
  kind: z.literal('video'),
  /** Most frames that are decoded and scored. */
  maxFrames: z.int().min(1).max(512),
  /** Length of the window over which frames are aggregated, seconds: a short swapped passage fills one. */
  windowSeconds: z.number().positive(),
  /** Share of each side of a frame that a head does not see, 0 to 0.3: marks in corners tell the source. */
  border: z.number().min(0).max(0.3).default(0),
  /** With a head: how far the logit of a window must lie above that of the clip to raise it. */
  windowMargin: z.number().min(0).default(0),
})

/** A module reads the file by itself. */
const noPreprocessing = z.strictObject({ kind: z.literal('none') })

/** How a file becomes what the model takes. */
export const preprocessingSchema = z.discriminatedUnion('kind', [
  imagePreprocessing,
  imageViewsPreprocessing,
  audioPreprocessing,
  textPreprocessing,
  videoPreprocessing,
  noPreprocessing,
])

/** The checked `preprocessing` of a manifest; its `kind` decides which reader of media a detector process opens. */
export type Preprocessing = z.infer<typeof preprocessingSchema>
/** `preprocessing` of kind `audio` in a manifest: lengths in samples of `sampleRate`, speech in seconds. */
export type AudioPreprocessing = z.infer<typeof audioPreprocessing>
/** `preprocessing` of kind `text` in a manifest: lengths in characters. */
export type TextPreprocessing = z.infer<typeof textPreprocessing>
export type VideoPreprocessing = z.infer<typeof videoPreprocessing>
/** How a text becomes tokens: two files of the package, and the longest input. */
export type TokenPlan = z.infer<z.ZodObject<typeof tokenFields>>

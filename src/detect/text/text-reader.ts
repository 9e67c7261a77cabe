import { spread } from '../../core/arrays.js'
import { AttestdError } from '../../core/errors.js'
import type { Part, ReadMedia } from '../contract/medium-reader.js'
import { spotOf } from '../contract/spot-places.js'
import type { TextPreprocessing } from '../package/preprocessing.js'
import { charactersIn } from './characters.js'
import { looksLikeCode } from './code.js'
import { readTextFile } from './decode.js'
import { languageOf } from './language.js'
import { normalizeText } from './normalize.js'
import { refuseMarksAlone, refuseRepetition } from './repetition.js'
import { sentencePieces } from './sentences.js'
import type { TextFeatures } from './token-features.js'
import { cutWindows, type TextWindow } from './windows.js'

/**
 * Opens a text: decoded, checked when normalized to be prose of a known language, cut into windows.
 * @throws AttestdError media-empty, media-too-large, media-type-mismatch, media-unsupported, media-corrupt, media-is-code, media-too-short, media-featureless,
 * language-unsupported
 */
export async function readText(file: string, plan: TextPreprocessing, features: TextFeatures): Promise<ReadMedia> {
  const { text, encoding } = await readTextFile(file)
  const prose = normalizeText(text)
  const language = requireProse(text, prose, plan)
  const length = charactersIn(prose)
  const read = plan.normalize ? prose : text
  const windows = windowsOf(read, plan)
  const judged = spread(windows, plan.maxWindows)
  return {
    summary: `${encoding} text, ${language}, ${length} characters`,
    length,
    parts: () => inputsOf(judged, features),
    async *spotCheck() {
      const others = windows.filter((window) => !judged.includes(window))
      const spot = await spotOf(file, others)
      if (spot) yield { name: 'between the passages judged first', parts: inputsOf([spot], features) }
    },
    async *variants() {
      for (const variant of textVariants(read)) {
        if (charactersIn(variant.text) < plan.minCharacters) continue
        yield { name: variant.name, parts: inputsOf(spread(windowsOf(variant.text, plan), plan.maxWindows), features) }
      }
    },
  }
}

/** The language of the prose. @throws AttestdError where it is not prose that the package can judge */
function requireProse(text: string, prose: string, plan: TextPreprocessing): string {
  refuseMarksAlone(prose)
  if (looksLikeCode(text)) throw new AttestdError('media-is-code', 'The text is mostly code, markup or data.')
  const length = charactersIn(prose)
  if (length < plan.minCharacters) {
    throw new AttestdError(
      'media-too-short',
      `The text has ${length} normalized characters; the detector needs ${plan.minCharacters}.`,
    )
  }
  refuseRepetition(prose, plan.minCharacters)
  const language = languageOf(prose)
  if (plan.languages.includes(language)) return language
  const name = language === 'und' ? 'none that is known here' : language
  throw new AttestdError(
    'language-unsupported',
    `The language of the text is ${name}; the detector knows ${plan.languages.join(', ')}.`,
  )
}

function* inputsOf(windows: readonly TextWindow[], features: TextFeatures): Iterable<Part> {
  for (const { text, start, end } of windows) yield { name: `characters ${start}-${end}`, inputs: features(text) }
}

/** A raw text keeps the spaces at its ends where the model can take it in one piece. */
function windowsOf(text: string, { normalize, windowCharacters, minCharacters }: TextPreprocessing): TextWindow[] {
  const length = charactersIn(text)
  if (!normalize && length <= windowCharacters) return [{ text, start: 0, end: length }]
  return cutWindows(text, { longest: windowCharacters, shortest: minCharacters })
}

/** An edit that leaves it open who wrote the text. */
interface TextVariant {
  readonly name: string
  readonly text: string
}

/** Sentences that a text needs before one may go. */
const MIN_SENTENCES = 4

/** Edits of a normalized text for the stability probe: none changes what a reader would call it. */
export function textVariants(text: string): TextVariant[] {
  const pieces = sentencePieces(text)
  const plain = { name: 'commas for dashes, no quotes', text: text.replaceAll(' - ', ', ').replaceAll('"', '') }
  if (pieces.length < MIN_SENTENCES) return [plain]
  return [
    { name: 'without the first sentence', text: pieces.slice(1).join('') },
    { name: 'without the last sentence', text: pieces.slice(0, -1).join('').trimEnd() },
    plain,
  ]
}

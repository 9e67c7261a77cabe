import { AttestdError, errorText } from '../core/errors.js'
import { cleanText } from '../core/text.js'

/** Deeper data than this is refused: no job of ours comes near it, and a hostile one must not use up the stack. */
const MAX_DEPTH = 64
/** Longest JSON text, UTF-8 bytes: far above a job, whose longest texts (URI, notes) have some 2000 characters each. */
const MAX_BYTES = 1024 * 1024

/**
 * A copy of a value as JSON keeps it, with every string and key free of NUL and lone surrogates: PostgreSQL refuses
 * both, and a job that cannot be written would stay active for ever.
 * @throws AttestdError job-malformed where the value is no JSON, too deep or too large
 */
export function cleanJson(value: unknown): unknown {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw new AttestdError('job-malformed', `Job data cannot be written as JSON: ${errorText(error)}`)
  }
  if (text === undefined) return null
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES) {
    throw new AttestdError('job-malformed', `Job data has ${bytes} bytes, more than ${MAX_BYTES}.`, {
      facts: { bytes },
    })
  }
  return cleanParsed(JSON.parse(text), 0)
}

function cleanParsed(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanString(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) throw new AttestdError('job-malformed', `Job data is nested deeper than ${MAX_DEPTH} levels.`)
  if (Array.isArray(value)) return value.map((item) => cleanParsed(item, depth + 1))
  // fromEntries defines properties, so a key named __proto__ stays plain data.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanString(key), cleanParsed(item, depth + 1)]),
  )
}

const cleanString = (text: string): string => cleanText(text, Number.MAX_SAFE_INTEGER)

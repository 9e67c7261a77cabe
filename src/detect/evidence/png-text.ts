import { inflateSync } from 'node:zlib'
import { pngBlocks } from '../../formats/blocks.js'
import type { FileBytes } from '../../formats/file-bytes.js'
import type { Evidence } from '../contract/measurement.js'
import { evidenceOf, isReadable, quote } from './evidence-of.js'

/** Most bytes of one text chunk, packed or unpacked, that are read. */
const MAX_CHUNK_BYTES = 256 * 1024
/** Most text chunks of one file that are looked at. */
const MAX_TEXTS = 100
/** Keywords that programs write about how a picture was made: Stable Diffusion web UI, ComfyUI, InvokeAI, NovelAI, the PNG specification. */
const KEYWORDS = new Set([
  'parameters',
  'prompt',
  'workflow',
  'generation_data',
  'dream',
  'sd-metadata',
  'invokeai_metadata',
  'invokeai_graph',
  'software',
  'source',
  'comment',
  'description',
  'title',
  'author',
  'ai generated',
  'aigenerated',
  'aigc',
])

/** What text chunks of a PNG state about its making. */
export async function pngTextEvidence(bytes: FileBytes): Promise<Evidence[]> {
  const found: Evidence[] = []
  let texts = 0
  for (const { type, offset, length } of pngBlocks(bytes)) {
    if (!['tEXt', 'zTXt', 'iTXt'].includes(type)) continue
    if (++texts > MAX_TEXTS) break
    const text = textOf(type, bytes.read(offset, Math.min(length, MAX_CHUNK_BYTES)))
    if (text !== null && KEYWORDS.has(text.keyword.toLowerCase()) && isReadable(text.text))
      found.push(evidenceOf('png-text', `png ${text.keyword} ${quote(text.text)}`))
  }
  return found
}

/** The keyword and text of a tEXt, zTXt or iTXt chunk (PNG specification, section 11.3.3). */
function textOf(type: string, data: Buffer): { keyword: string; text: string } | null {
  const end = data.indexOf(0)
  if (end < 1) return null
  const keyword = data.toString('latin1', 0, end)
  const rest = data.subarray(end + 1)
  if (type === 'tEXt') return { keyword, text: rest.toString('latin1') }
  if (type === 'zTXt') return { keyword, text: unpack(rest.subarray(1)).toString('latin1') }
  const language = rest.indexOf(0, 2)
  const translated = language < 0 ? -1 : rest.indexOf(0, language + 1)
  if (translated < 0) return null
  const content = rest.subarray(translated + 1)
  return { keyword, text: (rest[0] === 1 ? unpack(content) : content).toString('utf8') }
}

function unpack(packed: Buffer): Buffer {
  try {
    return inflateSync(packed, { maxOutputLength: MAX_CHUNK_BYTES })
  } catch {
    return Buffer.alloc(0)
  }
}

import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny'
import type { Evidence } from '../contract/measurement.js'
import { evidenceOf, isReadable, quote } from './evidence-of.js'

/** Tags that state which program or device made a recording, as each container names them. */
const MAKER_TAGS = [
  '©too',
  '©swr',
  'encoder',
  'ENCODER',
  'ENCODED_BY',
  'TSSE',
  'TENC',
  'ISFT',
  'software',
  'SOFTWARE',
  'com.apple.quicktime.software',
  'com.apple.quicktime.make',
  'com.apple.quicktime.model',
  'com.android.version',
  'prompt',
  'PROMPT',
  'workflow',
  'WORKFLOW',
  'AIGC',
]

/** What the tags of a video or audio file state about its making. */
export async function containerEvidence(file: string): Promise<Evidence[]> {
  const input = new Input({
    formats: ALL_FORMATS,
    source: new FilePathSource(file, { handleUnhandledError: () => {} }),
  })
  try {
    const { raw = {}, title, comment, description } = await input.getMetadataTags()
    const tags: [string, unknown][] = [
      ...MAKER_TAGS.map((name): [string, unknown] => [name, raw[name]]),
      ['title', title],
      ['comment', comment],
      ['description', description],
    ]
    return tags.flatMap(([name, text]) =>
      isReadable(text) ? [evidenceOf('container', `tag ${name} ${quote(text)}`)] : [],
    )
  } finally {
    input.dispose()
  }
}

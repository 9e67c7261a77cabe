import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { pngTextEvidence } from '../../../src/detect/evidence/png-text.js'
import { withFileBytes } from '../../../src/formats/file-bytes.js'
import { pngChunk } from '../../support/detector-images.js'
import { filesForAll } from '../../support/temporary-folder.js'

const fileWith = filesForAll()

async function linesOf(...chunks: [type: string, data: Buffer][]): Promise<string[]> {
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const file = await fileWith(Buffer.concat([signature, ...chunks.map(([type, data]) => pngChunk(type, data))]))
  return (await withFileBytes(file, pngTextEvidence)).map(({ text }) => text)
}

const bytes = (...parts: (string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))

describe('pngTextEvidence', () => {
  it.each([
    'parameters',
    'Prompt',
    'WORKFLOW',
    'generation_data',
    'Dream',
    'sd-metadata',
    'invokeai_metadata',
    'invokeai_graph',
    'Software',
    'Source',
    'Title',
    'Author',
    'Description',
    'AI generated',
    'AIGC',
  ])('reports the keyword %s in the letters of the file', async (keyword) => {
    expect(await linesOf(['tEXt', bytes(keyword, '\0', 'x')])).toEqual([`png ${keyword} "x"`])
  })

  it.each<[string, string, Buffer]>([
    ['a keyword of no maker', 'tEXt', bytes('Copyright\0me')],
    ['a keyword that only begins like one', 'tEXt', bytes('prompts\0x')],
    ['no keyword', 'tEXt', bytes('\0prompt')],
    ['no end of the keyword', 'tEXt', bytes('prompt')],
    ['no text', 'tEXt', bytes('prompt\0')],
    ['another chunk', 'eXIf', bytes('prompt\0x')],
    ['packed text that does not unpack', 'zTXt', bytes('prompt\0\0', 'not deflate')],
    ['international text without a language', 'iTXt', bytes('prompt\0\0\0')],
    ['international text without a translated keyword', 'iTXt', bytes('prompt\0\0\0en\0pr')],
  ])('reports nothing for %s', async (_, type, data) => {
    expect(await linesOf([type, data])).toEqual([])
  })

  it('reads international text after language and translated keyword, including empty ones', async () => {
    expect(
      await linesOf(
        ['iTXt', bytes('prompt\0\0\0\0\0', Buffer.from('plain é'))],
        ['iTXt', bytes('title\0\0\0de\0Titel\0', Buffer.from('Größe'))],
        ['iTXt', bytes('source\0\u0001\0de\0Quelle\0', deflateSync('packed ü'))],
      ),
    ).toEqual(['png prompt "plain é"', 'png title "Größe"', 'png source "packed ü"'])
  })

  it('reads plain and compressed text as Latin-1, as the format states', async () => {
    expect(
      await linesOf(
        ['tEXt', bytes('author\0', 'Andr\u00e9')],
        ['zTXt', bytes('author\0\0', deflateSync(Buffer.from('Ren\u00e9e', 'latin1')))],
      ),
    ).toEqual(['png author "André"', 'png author "Renée"'])
  })

  it('reads a hundred text chunks, whatever their keywords', async () => {
    const others = (count: number) => Array.from({ length: count }, (): [string, Buffer] => ['tEXt', bytes('x\0y')])
    expect(await linesOf(...others(99), ['tEXt', bytes('prompt\0last')])).toEqual(['png prompt "last"'])
    expect(await linesOf(...others(100), ['tEXt', bytes('prompt\0too late')])).toEqual([])
  })

  it('decompresses 256 KiB and no more', async () => {
    const packed = (size: number) => bytes('comment\0\0', deflateSync(Buffer.alloc(size, 65)))
    expect(await linesOf(['zTXt', packed(256 * 1024)])).toHaveLength(1)
    expect(await linesOf(['zTXt', packed(256 * 1024 + 1)])).toEqual([])
  })
})

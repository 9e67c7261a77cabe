import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { evidenceSchema, MAX_TEXT } from '../../../src/detect/contract/measurement.js'
import { readEvidence } from '../../../src/detect/evidence/read-evidence.js'
import { withEvidence } from '../../../src/detect/scoring/to-detection.js'
import { noise, pngChunk } from '../../support/detector-images.js'
import { filesForAll, folderForAll } from '../../support/temporary-folder.js'

const folder = folderForAll()
const fileWith = filesForAll()

async function evidenceOf(data: Uint8Array | string): Promise<string[]> {
  const evidence = await readEvidence(await fileWith(data))
  expect(evidenceSchema.parse(evidence)).toEqual(evidence)
  return evidence.map(({ kind, text }) => `${kind}: ${text}`)
}

/** A PNG with chunks put in front of its last one. */
async function pngWith(...chunks: [type: string, data: Buffer][]): Promise<Buffer> {
  const png = await noise(16, 16).png().toBuffer()
  const end = png.length - 12
  return Buffer.concat([png.subarray(0, end), ...chunks.map(([type, data]) => pngChunk(type, data)), png.subarray(end)])
}

const latin = (...parts: string[]) => Buffer.from(parts.join('\0'), 'latin1')

describe('PNG text', () => {
  it('contains generator parameters, wherever the chunk is', async () => {
    const png = await pngWith(['tEXt', latin('parameters', 'a cat\nSteps: 20, Sampler: Euler a, Model: v1-5')])
    expect(await evidenceOf(png)).toEqual(['png-text: png parameters "a cat Steps: 20, Sampler: Euler a, Model: v1-5"'])
  })

  it('becomes one sanitized line if hostile', async () => {
    const [line] = await evidenceOf(
      await pngWith([
        'iTXt',
        Buffer.concat([
          latin('Comment', '', '', '', '', ''),
          Buffer.from('x"; risk 0\r\n\u001b[2J\u202Efake\u0000\u2028', 'utf8'),
        ]),
      ]),
    )
    expect(line).toBe(`png-text: png Comment "x'; risk 0 [2J fake"`)
  })

  it('keeps lines short and few', async () => {
    const many = Array.from({ length: 40 }, (_, index): [string, Buffer] => [
      'tEXt',
      latin('Comment', `${index} `.repeat(1000)),
    ])
    const lines = await evidenceOf(await pngWith(...many))
    expect(lines).toHaveLength(6)
    for (const line of lines) expect(line.length).toBeLessThan(320)
  })
})

describe('XMP and EXIF', () => {
  const xmp = (body: string) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description ${body}</rdf:Description></rdf:RDF></x:xmpmeta>`
  const packet = xmp(`rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="Adobe Firefly &amp; more">
    <Iptc4xmpExt:DigitalSourceType xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia</Iptc4xmpExt:DigitalSourceType>`)

  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('are read from %s', async (format) => {
    const picture = await noise(32, 32)
      .withXmp(packet)
      .withExif({ IFD0: { Software: 'Stable Diffusion', Make: 'Acme', Model: 'Cam 1' } })
      .toFormat(format)
      .toBuffer()
    expect(await evidenceOf(picture)).toEqual([
      'xmp: xmp DigitalSourceType "trainedAlgorithmicMedia"',
      'xmp: xmp CreatorTool "Adobe Firefly & more"',
      'exif: exif Software "Stable Diffusion"',
      'exif: exif camera "Acme Cam 1"',
    ])
  })

  it('include the comment that web interfaces write into EXIF', async () => {
    const picture = await noise(32, 32)
      .withExif({ IFD2: { UserComment: 'Steps: 30, Sampler: DPM++' } })
      .jpeg()
      .toBuffer()
    expect(await evidenceOf(picture)).toEqual(['exif: exif UserComment "Steps: 30, Sampler: DPM++"'])
  })

  it('are not slowed or broken by a packet full of brackets', async () => {
    const hostile = `<xmp:CreatorTool ${'<'.repeat(200_000)} xmp:CreatorTool =${' '.repeat(50_000)}`
    expect(await evidenceOf(await noise(32, 32).withXmp(xmp(hostile)).jpeg().toBuffer())).toEqual([])
  })
})

const hasFfmpeg = promisify(execFile)('ffmpeg', ['-version']).then(
  () => true,
  () => false,
)

it('containers reports the tags of a recording', async ({ skip }) => {
  if (!(await hasFfmpeg)) skip('ffmpeg is not installed')
  const file = path.join(folder, 'clip.mp4')
  const make = '-loglevel error -f lavfi -i color=c=red:size=32x32:rate=5:duration=0.4 -pix_fmt yuv420p'.split(' ')
  await promisify(execFile)('ffmpeg', [...make, '-metadata', 'comment=made with ComfyUI', file])
  const lines = (await readEvidence(file)).map(({ text }) => text)
  expect(lines).toContain('tag comment "made with ComfyUI"')
  expect(lines.some((line) => line.startsWith('tag ©too "Lavf'))).toBe(true)
})

describe('other input', () => {
  it.each([
    ['nothing', ''],
    ['text', 'parameters: a cat\n'.repeat(20)],
    ['a cut JPEG', Buffer.from('ffd8ffe1fffe4578696600', 'hex')],
    ['a cut MP4', Buffer.from('0000001c6674797069736f6d0000020069736f6d00000000000000017575', 'hex')],
    ['a RIFF of zeros', Buffer.concat([Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'), Buffer.alloc(5000)])],
  ])('%s gives no evidence and no error', async (_, data) => {
    expect(await evidenceOf(data)).toEqual([])
  })

  it('a missing file gives none either', async () => {
    expect(await readEvidence(`${await fileWith('')}.none`)).toEqual([])
  })
})

describe('withEvidence', () => {
  const stated = (text: string) => ({ kind: 'exif', text }) as const

  it('adds the stated facts, and counts those that do not fit', () => {
    expect(withEvidence('jpeg 1x1', [])).toBe('jpeg 1x1')
    expect(withEvidence('jpeg 1x1', [stated('a'), stated('b')])).toBe('jpeg 1x1; states: a; b')
    const many = Array.from({ length: 16 }, () => stated('x'.repeat(300)))
    expect(withEvidence('jpeg 1x1', many)).toMatch(/^jpeg 1x1; states: x{300}; x{300}; and 14 more$/)
  })

  it('never grows beyond what a child may send', () => {
    const notes = withEvidence('n'.repeat(MAX_TEXT), [stated('x'.repeat(300))])
    expect(notes).toHaveLength(MAX_TEXT)
    expect(notes.endsWith('x')).toBe(true)
  })
})

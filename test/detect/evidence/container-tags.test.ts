import fs from 'node:fs/promises'
import { expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { readEvidence } from '../../../src/detect/evidence/read-evidence.js'
import { sine } from '../../support/sounds.js'
import { filesForAll } from '../../support/temporary-folder.js'
import { riffChunk, wavFile } from '../../support/wav-file.js'

const fileWith = filesForAll()

async function linesOf(name: string, bytes: Buffer): Promise<string[]> {
  return (await readEvidence(await fileWith(bytes, name))).map(({ kind, text }) => `${kind}: ${text}`)
}

/** A frame of ID3v2.3 with Latin-1 text. */
function id3Frame(id: string, text: string): Buffer {
  const head = Buffer.alloc(11)
  head.write(id, 'latin1')
  head.writeUInt32BE(text.length + 1, 4)
  return Buffer.concat([head, Buffer.from(text, 'latin1')])
}

async function mp3With(...frames: Buffer[]): Promise<Buffer> {
  const content = Buffer.concat(frames)
  const head = Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1')
  head[8] = content.length >> 7
  head[9] = content.length & 0x7f
  return Buffer.concat([head, content, await fs.readFile(packagePath('test', 'fixtures', 'audio', 'speech-mono.mp3'))])
}

function wavWith(...tags: [id: string, text: string][]): Buffer {
  const info = tags.map(([id, text]) => riffChunk(id, Buffer.from(`${text}\0`)))
  return wavFile(sine(440, 8000, 0.1), {
    rate: 8000,
    before: riffChunk('LIST', Buffer.concat([Buffer.from('INFO'), ...info])),
  })
}

it('reports the program that encoded an MP3, and its title', async () => {
  const mp3 = await mp3With(
    id3Frame('TSSE', 'Voice Maker 2'),
    id3Frame('TIT2', 'A "cloned" voice'),
    id3Frame('TPE1', 'Somebody'),
  )
  expect(await linesOf('tagged.mp3', mp3)).toEqual([
    'container: tag TSSE "Voice Maker 2"',
    `container: tag title "A 'cloned' voice"`,
  ])
})

it('reports the program of a WAVE file, and its comment', async () => {
  expect(
    await linesOf('tagged.wav', wavWith(['ISFT', 'Studio'], ['ICMT', 'made by a machine'], ['IART', 'Who'])),
  ).toEqual(['container: tag ISFT "Studio"', 'container: tag comment "made by a machine"'])
})

it('reports nothing where a recording has no readable tag', async () => {
  expect(await linesOf('plain.wav', wavFile(sine(440, 8000, 0.1), { rate: 8000 }))).toEqual([])
  expect(await linesOf('empty.wav', wavWith(['ISFT', ' \u0001 '], ['ICMT', '']))).toEqual([])
  expect(await linesOf('cut.mp3', (await mp3With(id3Frame('TSSE', 'x'.repeat(400)))).subarray(0, 100))).toEqual([])
})

it('reports one line for a value in two tags, and at most six lines of each type', async () => {
  const many = ['ISFT', 'ICMT', 'INAM', 'ISBJ', 'IKEY'].map((id): [string, string] => [id, 'same'])
  const lines = await linesOf('same.wav', wavWith(...many))
  expect(new Set(lines).size).toBe(lines.length)
  expect(lines.length).toBeLessThanOrEqual(6)
})

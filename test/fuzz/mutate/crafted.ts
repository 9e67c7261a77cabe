import { deflateSync } from 'node:zlib'
import type { MediaType } from '../../../src/core/media-types.js'
import { hugeNumberStore, privateFieldStore } from '../../support/hostile-credentials.js'
import { uint32 } from '../../support/iso-boxes.js'
import type { Chance } from './chance.js'

/** A file of some kind. */
export interface Medium {
  readonly bytes: Buffer
  readonly mediaType: MediaType
  /** Ending of its name. */
  readonly ending: string
}

const u32le = (value: number) => Buffer.from(uint32(value).toReversed())
const size = (chance: Chance) =>
  chance.pick([0, 1, 7, 8, 9, 100, 0x7fffffff, 0x80000000, 0xffffffff, chance.below(2 ** 32)])

function pngChunk(type: string, data: Buffer, length = data.length): Buffer {
  return Buffer.concat([uint32(length), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)])
}

/** A PNG of stated sides whose pixels are missing, too few, or unpack to megabytes; perhaps with texts that do. */
function png(chance: Chance): Medium {
  const side = () => chance.pick([0, 1, 64, 5000, 0x7fffffff, 0xffffffff])
  const header = Buffer.concat([uint32(side()), uint32(side()), chance.bytes(5)])
  const packed = deflateSync(Buffer.alloc(chance.pick([0, 1000, 20_000_000])))
  const text = Buffer.concat([Buffer.from('parameters\0\0', 'latin1'), packed])
  const chunks = [
    pngChunk('IHDR', header),
    pngChunk(chance.pick(['zTXt', 'iCCP', 'eXIf', 'caBX']), text),
    pngChunk('IDAT', packed),
  ]
  const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks, pngChunk('IEND', Buffer.alloc(0))])
  return { bytes, mediaType: 'image', ending: 'png' }
}

/** Boxes in boxes with sizes that lie, behind a start that is an MP4's or an AVIF's. */
function boxes(chance: Chance): Medium {
  const box = (type: string, content: Buffer, stated = content.length + 8) =>
    Buffer.concat([uint32(stated), Buffer.from(type, 'latin1'), content])
  const types = 'moov trak mdia minf stbl stts stsz stco moof traf meta iprp uuid free'.split(' ')
  let content: Buffer = chance.bytes(chance.below(64))
  for (let level = 1 + chance.below(chance.pick([8, 300])); level > 0; level--) {
    content = box(chance.pick(types), content, chance.happens(0.2) ? size(chance) : undefined)
    if (chance.happens(0.2)) content = Buffer.concat([content, box(chance.pick(types), chance.bytes(8))])
  }
  const brand = chance.pick(['isom', 'qt  ', 'avif', 'M4A ', 'mp42'])
  const bytes = Buffer.concat([box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}`, 'latin1')), content])
  const mediaType = brand === 'avif' ? 'image' : brand === 'M4A ' ? 'audio' : 'video_short'
  return { bytes, mediaType, ending: brand === 'avif' ? 'avif' : 'mp4' }
}

/** Elements in elements with sizes that lie or are unknown, behind a start that is a WebM's. */
function ebml(chance: Chance): Medium {
  const ids = '18538067 1549a966 1654ae6b ae 1f43b675 a3 1c53bb6b bb 114d9b74 ec e7 4dbb'.split(' ')
  let content: Buffer = chance.bytes(chance.below(40))
  for (let level = 1 + chance.below(chance.pick([8, 300])); level > 0; level--) {
    const length = chance.happens(0.3) ? chance.pick(['ff', '01ffffffffffffff', '80', '107fffffff']) : null
    const stated =
      length === null
        ? Buffer.concat([Buffer.from([0x10 | (content.length >>> 24)]), uint32(content.length).subarray(1)])
        : Buffer.from(length, 'hex')
    content = Buffer.concat([Buffer.from(chance.pick(ids), 'hex'), stated, content])
  }
  const head = Buffer.from(
    '1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701ffffffffffffff',
    'hex',
  )
  return {
    bytes: Buffer.concat([head, content]),
    mediaType: chance.pick(['video_short', 'audio'] as const),
    ending: 'webm',
  }
}

function wav(chance: Chance): Medium {
  const format = Buffer.concat([u32le(0x00010001), u32le(size(chance)), u32le(size(chance)), chance.bytes(4)])
  const chunk = (name: string, data: Buffer, stated: number) => Buffer.concat([Buffer.from(name), u32le(stated), data])
  const data = Buffer.alloc(chance.pick([0, 1, 200_000]), chance.below(256))
  const bytes = Buffer.concat([
    chunk('RIFF', Buffer.from('WAVE'), size(chance)),
    chunk('fmt ', format, chance.pick([16, 18, 40, 0, 0xffffffff])),
    chunk(chance.pick(['data', 'LIST', 'id3 ']), data, chance.pick([data.length, size(chance)])),
  ])
  return { bytes, mediaType: 'audio', ending: 'wav' }
}

/** A file that is little but metadata: ID3, or boxes of C2PA, that cost much or nest. */
function metadata(chance: Chance): Medium {
  if (chance.happens(0.5)) {
    const frames = Array.from({ length: chance.below(3000) }, () =>
      Buffer.concat([Buffer.from('TXXX'), uint32(chance.below(200)), chance.bytes(3)]),
    )
    const bytes = Buffer.concat([
      Buffer.from('ID3\x04\0\0', 'latin1'),
      chance.pick([Buffer.from('7f7f7f7f', 'hex'), chance.bytes(4)]),
      ...frames,
    ])
    return { bytes, mediaType: 'audio', ending: 'mp3' }
  }
  const store = chance.happens(0.5)
    ? privateFieldStore(1 + chance.below(5000))
    : hugeNumberStore(1 + chance.below(100_000))
  const segment = Buffer.concat([
    Buffer.from('ffeb', 'hex'),
    uint32(store.length).subarray(2),
    Buffer.from('JP\0\x01\0\0\0\x01', 'latin1'),
    store,
  ])
  return {
    bytes: Buffer.concat([Buffer.from('ffd8', 'hex'), segment, Buffer.from('ffd9', 'hex')]),
    mediaType: 'image',
    ending: 'jpg',
  }
}

/** Texts on which patterns and counters choke. */
function text(chance: Chance): Medium {
  const piece = chance.pick([
    'a',
    'a ',
    '. ',
    'é',
    'e\u0301\u0301',
    '\u202e',
    '👩‍👩‍👧',
    '<p>',
    '"',
    '\r',
    '\n',
    '漢字',
    'http://',
    '— ',
    '\t',
    '1',
  ])
  const body = `${piece.repeat(1 + chance.below(chance.pick([50, 5000, 200_000])))}${chance.pick(['', ' The end of a plain sentence.'])}`
  const utf16 = Buffer.concat([Buffer.from('fffe', 'hex'), Buffer.from(body, 'utf16le')])
  return { bytes: chance.happens(0.2) ? utf16 : Buffer.from(body), mediaType: 'text', ending: 'txt' }
}

const CRAFTED = [png, boxes, ebml, wav, metadata, text]

/** A file that no program would write: sizes that lie, nesting, little that unpacks to much. */
export function craftedMedium(chance: Chance): Medium {
  return chance.pick(CRAFTED)(chance)
}

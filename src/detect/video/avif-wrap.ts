import { AttestdError } from '../../core/errors.js'

/**
 * An AV1 keyframe as a one-picture AVIF file (AV1 Image File Format 1.1 over ISO/IEC 23008-12), so that a picture library
 * can decode it.
 * @param frame a temporal unit that starts with a keyframe, its sequence header included
 * @param codec RFC 6381 name of the codec, such as `av01.0.04M.08`
 * @throws AttestdError media-corrupt where the name is none of AV1
 */
export function wrapAvif(frame: Uint8Array, codec: string, width: number, height: number): Buffer {
  const data = Buffer.from(frame)
  const record = configurationRecord(codec)
  const build = (offset: number) => [
    box('ftyp', ascii('avif'), u32(0), ascii('avif'), ascii('mif1'), ascii('miaf')),
    fullBox('meta', 0, 0, handler(), primaryItem(), location(offset, data.length), itemInfo(), properties()),
    box('mdat', data),
  ]
  const properties = () =>
    box(
      'iprp',
      box('ipco', fullBox('ispe', 0, 0, u32(width), u32(height)), box('av1C', record)),
      // Item 1 has property 1 (its size) and property 2 (essential: how it is decoded).
      fullBox('ipma', 0, 0, u32(1), u16(1), Buffer.from([2, 0x01, 0x82])),
    )
  const [head, meta] = build(0) as [Buffer, Buffer, Buffer]
  return Buffer.concat(build(head.length + meta.length + 8))
}

/** `av01.<profile>.<level><tier>.<bit depth>[.<monochrome>.<chroma subsampling>...]`. */
const CODEC_NAME = /^av01\.(\d)\.(\d{2})([MH])\.(\d{2})(?:\.(\d)\.(\d)(\d)(\d))?/

/** AV1CodecConfigurationRecord (AV1 in ISO base media file format 2.3.3); the sequence header stands in the frame itself. */
function configurationRecord(codec: string): Buffer {
  const parts = CODEC_NAME.exec(codec)
  if (parts === null) throw new AttestdError('media-corrupt', 'The AV1 track does not state its profile.')
  const [, profile, level, tier, depth, monochrome = '0', across = '1', down = '1', position = '0'] = parts
  const bit = (is: boolean, at: number) => (is ? 1 << at : 0)
  const flags =
    bit(tier === 'H', 7) |
    bit(Number(depth) > 8, 6) |
    bit(depth === '12', 5) |
    bit(monochrome === '1', 4) |
    bit(across === '1', 3) |
    bit(down === '1', 2) |
    (Number(position) & 3)
  return Buffer.from([0x81, (Number(profile) << 5) | Number(level), flags, 0])
}

const ascii = (text: string) => Buffer.from(text, 'latin1')
const u16 = (value: number) => Buffer.from([value >> 8, value & 0xff])

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function box(name: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(8 + body.length), ascii(name), body])
}

const fullBox = (name: string, version: number, flags: number, ...parts: Buffer[]): Buffer =>
  box(name, u32(version * 2 ** 24 + flags), ...parts)

const handler = (): Buffer => fullBox('hdlr', 0, 0, u32(0), ascii('pict'), Buffer.alloc(12), Buffer.from([0]))

const primaryItem = (): Buffer => fullBox('pitm', 0, 0, u16(1))

/** One item in one piece: offsets and lengths of 4 bytes, no base offset. */
const location = (offset: number, length: number): Buffer =>
  fullBox('iloc', 0, 0, Buffer.from([0x44, 0x00]), u16(1), u16(1), u16(0), u16(1), u32(offset), u32(length))

const itemInfo = (): Buffer =>
  fullBox('iinf', 0, 0, u16(1), fullBox('infe', 2, 0, u16(1), u16(0), ascii('av01'), Buffer.from([0])))

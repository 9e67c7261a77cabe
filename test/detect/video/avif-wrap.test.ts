import path from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { wrapAvif } from '../../../src/detect/video/avif-wrap.js'
import { probe } from '../../support/open-video.js'
import { withReason } from '../../support/with-reason.js'

const fixture = (name: string) => path.join(packagePath('test', 'fixtures', 'video'), name)

describe('wrapAvif', () => {
  /** The four bytes of the configuration record. */
  const recordOf = (codec: string) => {
    const file = wrapAvif(new Uint8Array([1, 2, 3]), codec, 64, 48)
    const at = file.indexOf('av1C')
    return [...file.subarray(at + 4, at + 8)]
  }

  // AV1CodecConfigurationRecord: marker and version, profile and level, tier, depths, monochrome, subsampling, position.
  it.each([
    ['av01.0.04M.08', [0x81, 0x04, 0b0000_1100, 0]],
    ['av01.0.04H.08', [0x81, 0x04, 0b1000_1100, 0]],
    ['av01.0.04M.10', [0x81, 0x04, 0b0100_1100, 0]],
    ['av01.2.13M.12', [0x81, 0x4d, 0b0110_1100, 0]],
    ['av01.1.04M.08.0.000', [0x81, 0x24, 0b0000_0000, 0]],
    ['av01.0.04M.08.1.112', [0x81, 0x04, 0b0001_1110, 0]],
    ['av01.0.04M.08.0.111.09.16.09.0', [0x81, 0x04, 0b0000_1101, 0]],
  ])('states how %s is coded', (codec, record) => {
    expect(recordOf(codec)).toEqual(record)
  })

  it.each(['', 'av01', 'av01.0.4M.08', 'avc1.64000a', 'x av01.0.04M.08'])('refuses %j, which is no AV1', (codec) => {
    expect(() => wrapAvif(new Uint8Array(1), codec, 1, 1)).toThrow(withReason('media-corrupt'))
  })

  it('creates a file whose one item is where it states, at its end', () => {
    const frame = Buffer.from('a keyframe')
    const file = wrapAvif(frame, 'av01.0.04M.08', 640, 480)
    const iloc = file.indexOf('iloc')
    const [offset, length] = [file.readUInt32BE(iloc + 18), file.readUInt32BE(iloc + 22)]
    expect(file.subarray(offset, offset + length)).toEqual(frame)
    expect(offset + length).toBe(file.length)
    const ispe = file.indexOf('ispe')
    expect([file.readUInt32BE(ispe + 8), file.readUInt32BE(ispe + 12)]).toEqual([640, 480])
  })

  it('is read by a picture library at the size of the frame', async () => {
    const video = fixture('av1.mp4')
    const avif = await probe(video, async ({ codecString, keyframe }) =>
      wrapAvif((await keyframe(0)).data, codecString ?? '', 160, 120),
    )
    expect(await sharp(avif).metadata()).toMatchObject({ format: 'heif', width: 160, height: 120 })
    const { data, info } = await sharp(avif).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    // The fixture is red at the top left and white at the bottom right.
    expect([info.width, info.height, (data[0] as number) > 200, (data[1] as number) < 60]).toEqual([
      160,
      120,
      true,
      true,
    ])
    expect(Math.min(...data.subarray(-3))).toBeGreaterThan(200)
  })
})

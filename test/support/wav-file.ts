/** How samples stand in a WAVE file. */
export type WavCodec = 'u8' | 's16' | 's24' | 's32' | 'float' | 'double'

const CODECS: Record<WavCodec, { tag: number; bytes: number }> = {
  u8: { tag: 1, bytes: 1 },
  s16: { tag: 1, bytes: 2 },
  s24: { tag: 1, bytes: 3 },
  s32: { tag: 1, bytes: 4 },
  float: { tag: 3, bytes: 4 },
  double: { tag: 3, bytes: 8 },
}
/** What follows the codec number in the subformat of WAVE_FORMAT_EXTENSIBLE. */
const GUID_TAIL = Buffer.from('000000001000800000aa00389b71', 'hex')

interface WavHeader {
  rate: number
  channels?: number
  /** With WAVE_FORMAT_EXTENSIBLE. */
  extensible?: boolean
  /** Size of the sample chunk in its header, where that lies. */
  statedBytes?: number
  /** Chunks before the samples, as recorders write them. */
  before?: Buffer
}

/** A WAVE file; every channel holds the same samples, -1 to 1. */
export function wavFile(samples: Float32Array, header: WavHeader & { codec?: WavCodec }): Buffer {
  const { codec = 's16', channels = 1 } = header
  const { tag, bytes } = CODECS[codec]
  const data = Buffer.alloc(samples.length * bytes * channels)
  for (let index = 0; index < samples.length * channels; index++)
    put(data, index * bytes, samples[Math.floor(index / channels)] as number, codec)
  return rawWav(data, { ...header, tag, bytes })
}

/** A WAVE file around samples that are coded already. @param header `bytes` of one sample */
export function rawWav(data: Buffer, header: WavHeader & { tag: number; bytes: number }): Buffer {
  const { statedBytes, before = Buffer.alloc(0) } = header
  return riffChunk(
    'RIFF',
    Buffer.concat([
      Buffer.from('WAVE'),
      riffChunk('fmt ', formatOf(header)),
      before,
      riffChunk('data', data, statedBytes),
    ]),
  )
}

export function riffChunk(id: string, data: Buffer, statedBytes = data.length): Buffer {
  const head = Buffer.alloc(8)
  head.write(id, 'latin1')
  head.writeUInt32LE(statedBytes, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

function formatOf(header: WavHeader & { tag: number; bytes: number }): Buffer {
  const { rate, tag, bytes, channels = 1, extensible = false } = header
  const format = Buffer.alloc(extensible ? 40 : 16)
  format.writeUInt16LE(extensible ? 0xfffe : tag, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE(rate * bytes * channels, 8)
  format.writeUInt16LE(bytes * channels, 12)
  format.writeUInt16LE(bytes * 8, 14)
  if (extensible) {
    format.writeUInt16LE(22, 16)
    format.writeUInt16LE(tag, 24)
    GUID_TAIL.copy(format, 26)
  }
  return format
}

function put(data: Buffer, at: number, sample: number, codec: WavCodec): void {
  if (codec === 'float') data.writeFloatLE(sample, at)
  else if (codec === 'double') data.writeDoubleLE(sample, at)
  else {
    const { bytes } = CODECS[codec]
    const most = 2 ** (bytes * 8 - 1)
    const value = Math.max(-most, Math.min(most - 1, Math.round(sample * most)))
    if (codec === 'u8') data.writeUInt8(value + most, at)
    else data.writeIntLE(value, at, bytes)
  }
}

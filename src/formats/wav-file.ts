const HEADER_BYTES = 44
const SAMPLE_BYTES = 2

/** A WAV file of 16 bit mono. @param samples -32,768 to 32,767 @param sampleRate Hz */
export function wavFile(samples: Int16Array, sampleRate: number): Buffer {
  const wav = Buffer.alloc(HEADER_BYTES + samples.length * SAMPLE_BYTES)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(sampleRate, 24)
  wav.writeUInt32LE(sampleRate * SAMPLE_BYTES, 28)
  wav.writeUInt16LE(SAMPLE_BYTES, 32)
  wav.writeUInt16LE(8 * SAMPLE_BYTES, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(samples.length * SAMPLE_BYTES, 40)
  for (const [nth, sample] of samples.entries()) wav.writeInt16LE(sample, HEADER_BYTES + nth * SAMPLE_BYTES)
  return wav
}

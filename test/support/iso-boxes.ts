/** Numbers of 32 bits, big end first. */
export function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** A box of ISO/IEC 14496-12 and of JUMBF: length, type, content. */
export function box(type: string, ...parts: (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
  return Buffer.concat([uint32(8 + content.length), Buffer.from(type, 'latin1'), content])
}

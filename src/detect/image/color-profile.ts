/** Offsets in the header of a profile (ICC.1, 7.2), bytes. */
const VERSION = 8
const SPACES = 16
const ILLUMINANT = 68
const TAG_COUNT = 128
const TAG_TABLE = 132
/** Of a tag's row in the table: name, offset, length; four bytes each. */
const TAG_BYTES = 12
/** Its header and the table of a profile have at most so many tags; those of cameras and screens have about 15. */
const MOST_TAGS = 100
/** X, Y and Z of D50, as every profile has to state it. */
const D50 = Buffer.from('0000f6d6000100000000d32d', 'hex')
/** Tables, and a code point: programs differ in which they follow. */
const OTHER_WAYS = /^(A2B|B2A|D2B|B2D|cicp)/
/** Parameters of a curve by the number of its function, of those that programs agree on (ICC.1, 10.18). */
const PARAMETERS = new Map([
  [0, 1],
  [3, 5],
])

/**
 * Whether a color profile is one that browsers and libvips read alike: RGB by three primaries and three curves, as those of
 * cameras and screens are. Browsers ignore many others, such as those of version 5, which libvips applies.
 */
export function isPlainProfile(profile: Buffer): boolean {
  if (profile.length < TAG_TABLE || profile.readUInt32BE(0) !== profile.length) return false
  if (![2, 4].includes(profile[VERSION] as number)) return false
  if (profile.toString('latin1', SPACES, SPACES + 8) !== 'RGB XYZ ') return false
  if (!profile.subarray(ILLUMINANT, ILLUMINANT + D50.length).equals(D50)) return false
  const tags = tagsOf(profile)
  if (tags === null || [...tags.keys()].some((name) => OTHER_WAYS.test(name))) return false
  const colors = ['r', 'g', 'b'].map((color) => tags.get(`${color}XYZ`))
  const curves = ['r', 'g', 'b'].map((color) => tags.get(`${color}TRC`))
  return (
    colors.every((tag) => tag !== undefined && tag.length >= 20 && typeOf(tag) === 'XYZ ') && curves.every(isPlainCurve)
  )
}

/** Null where one lies outside the profile, or two have the same name. */
function tagsOf(profile: Buffer): ReadonlyMap<string, Buffer> | null {
  const count = profile.readUInt32BE(TAG_COUNT)
  if (count > MOST_TAGS || TAG_TABLE + count * TAG_BYTES > profile.length) return null
  const tags = new Map<string, Buffer>()
  for (let at = TAG_TABLE; at < TAG_TABLE + count * TAG_BYTES; at += TAG_BYTES) {
    const [offset, bytes] = [profile.readUInt32BE(at + 4), profile.readUInt32BE(at + 8)]
    if (bytes < 12 || offset + bytes > profile.length) return null
    tags.set(profile.toString('latin1', at, at + 4), profile.subarray(offset, offset + bytes))
  }
  return tags.size === count ? tags : null
}

const typeOf = (tag: Buffer): string => tag.toString('latin1', 0, 4)

/** A table or an exponent, or a function without negative parameters. */
function isPlainCurve(tag: Buffer | undefined): boolean {
  if (tag === undefined) return false
  if (typeOf(tag) === 'curv') return 12 + 2 * tag.readUInt32BE(8) <= tag.length
  const count = typeOf(tag) === 'para' ? PARAMETERS.get(tag.readUInt16BE(8)) : undefined
  if (count === undefined || tag.length < 12 + 4 * count) return false
  return Array.from({ length: count }, (_, index) => tag.readInt32BE(12 + 4 * index)).every((value) => value >= 0)
}

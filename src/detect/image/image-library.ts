import sharp from 'sharp'

/**
 * libvips loaders that hostile bytes may reach, one for each format on the list; all others (SVG, PDF, ImageMagick,
 * OpenSlide, matrix, raw ...) stay blocked. The heif loader reads AVIF only: HEIC is refused by its brand before.
 */
const ALLOWED_LOADERS = [
  'VipsForeignLoadJpegFile',
  'VipsForeignLoadPngFile',
  'VipsForeignLoadWebpFile',
  'VipsForeignLoadNsgifFile',
  'VipsForeignLoadTiffFile',
  'VipsForeignLoadHeifFile',
  // From memory: what this process encoded itself, and keyframes of video, by the same decoders as the files.
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadHeifBuffer',
]

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ALLOWED_LOADERS })

/** sharp with the loader allow-list, one thread and no cache. Decoder code imports it from here only, in child processes only. */
export { sharp as imageLibrary }

import { createRequire } from 'node:module'
import type sharpModule from 'sharp'

/** By `require`: 45 ms of processor time instead of the 100 of `import`, in each detector process and again in its evidence thread. */
const sharp: typeof sharpModule = createRequire(import.meta.url)('sharp')

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

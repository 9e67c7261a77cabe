import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { packagePath } from '../core/files.js'
import { MEDIA_TYPES } from '../core/media-types.js'

const sampleList = z.array(
  z.object({
    file: z.string(),
    title: z.string(),
    mediaType: z.enum(MEDIA_TYPES),
    made: z.enum(['real', 'machine']),
    license: z.string(),
    source: z.string(),
  }),
)

/** An entry of `samples.json`: `made` is its label; `file` is its name there, `path` where it lies on this machine. */
export type Sample = z.infer<typeof sampleList>[number] & { readonly path: string }

/** The freely licensed sample media that come with attestd, listed with their source in `samples.json`. */
export async function readSamples(): Promise<Sample[]> {
  const folder = packagePath('samples')
  const listed = sampleList.parse(JSON.parse(await fs.readFile(path.join(folder, 'samples.json'), 'utf8')))
  return listed.map((sample) => ({ ...sample, path: path.join(folder, sample.file) }))
}

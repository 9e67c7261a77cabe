import fs from 'node:fs/promises'
import path from 'node:path'
import { packagePath } from '../../../src/core/files.js'
import type { MediaType } from '../../../src/core/media-types.js'
import { mediaTypeOf, sniff } from '../../../src/formats/sniff.js'
import { endlessContainers } from '../../support/endless-containers.js'
import type { Medium } from './crafted.js'

/** Larger files only cost time. */
const MAX_BYTES = 600_000
const FOLDERS = ['samples', 'test/fixtures/audio', 'test/fixtures/video', 'test/fixtures/bad-input']
const SOUND = new Set(['.m4a', '.ogg', '.mp3', '.mp2', '.flac', '.wav'])

/** The sample media and the fixtures of the tests, by kind, so that each kind has the same share. */
export async function mediaCorpus(): Promise<ReadonlyMap<MediaType, readonly Medium[]>> {
  const corpus = new Map<MediaType, Medium[]>()
  const add = (medium: Medium) => corpus.set(medium.mediaType, [...(corpus.get(medium.mediaType) ?? []), medium])
  for (const [name, bytes] of endlessContainers)
    add({ bytes, mediaType: 'video_short', ending: name.includes('WebM') ? 'webm' : 'mp4' })
  for (const folder of FOLDERS) {
    for (const name of (await fs.readdir(packagePath(folder))).sort()) {
      const medium = await mediumOf(packagePath(folder, name))
      if (medium) add(medium)
    }
  }
  return corpus
}

async function mediumOf(file: string): Promise<Medium | null> {
  const bytes = await fs.readFile(file)
  const ending = path.extname(file)
  if (bytes.length > MAX_BYTES || bytes.length === 0 || ['.json', '.md'].includes(ending)) return null
  const mediaType = SOUND.has(ending) ? 'audio' : mediaTypeOf(await sniff(bytes))
  return mediaType && { bytes, mediaType, ending: ending.slice(1) }
}

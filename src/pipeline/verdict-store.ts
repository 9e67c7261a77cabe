import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { readFileIfPresent, writeFileAtomic } from '../core/files.js'
import type { MediaType } from '../core/media-types.js'
import { riskSchema } from '../core/risk.js'
import { EVIDENCE_KINDS } from '../detect/contract/measurement.js'
import type { Detection } from '../detect/detection.js'

/** What must be the same for a stored detection to stand for a new one. */
export interface VerdictKey {
  readonly contentHash: string
  readonly detectorDigest: string
  readonly mediaType: MediaType
  /** See `Detection.platform`: another release or another ffmpeg may read the same bytes otherwise. */
  readonly platform: string
}

const riskyPart = z.object({ name: z.string(), risk: riskSchema })

const storedDetection = z.object({
  detectorId: z.string(),
  detectorVersion: z.string(),
  detectorDigest: z.string(),
  risk: riskSchema,
  rawScore: z.number(),
  unsure: z.boolean(),
  unsureBecause: z.enum(['band', 'flip']).nullable(),
  parts: z.array(riskyPart),
  variants: z.array(riskyPart),
  evidence: z.array(z.object({ kind: z.enum(EVIDENCE_KINDS), says: z.string() })),
  notes: z.string(),
  elapsedMs: z.object({ decode: z.number(), infer: z.number() }),
  platform: z.string(),
})

/** Detections by content hash, detector digest and platform, one small file each, so that the same bytes are never inferred twice. */
export class VerdictStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** A file that cannot be read as a detection counts as absent: it is made again. */
  async get(key: VerdictKey): Promise<Detection | null> {
    const content = await readFileIfPresent(this.#file(key))
    if (!content) return null
    try {
      return storedDetection.parse(JSON.parse(content.toString('utf8')))
    } catch {
      return null
    }
  }

  async put(key: VerdictKey, detection: Detection): Promise<void> {
    const file = this.#file(key)
    try {
      await writeFileAtomic(file, JSON.stringify(detection))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      await writeFileAtomic(file, JSON.stringify(detection))
    }
  }

  /** Removes verdicts older than `maxAgeMs`. */
  async prune(maxAgeMs: number, now: number): Promise<void> {
    const entries = await fs.readdir(this.#folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = path.join(entry.parentPath, entry.name)
      // Another process may have renamed or removed it since.
      const stat = await fs.stat(file).catch(() => null)
      if (stat && now - stat.mtimeMs > maxAgeMs) await fs.rm(file, { force: true })
    }
  }

  #file({ contentHash, detectorDigest, mediaType, platform }: VerdictKey): string {
    // Hashed, because a content hash comes from outside and must not choose a path.
    const key = [contentHash, detectorDigest, mediaType, platform].join('\n')
    const name = createHash('sha256').update(key).digest('hex')
    return path.join(this.#folder, name.slice(0, 2), `${name}.json`)
  }
}

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { MediaType } from '../core/media-types.js'
import { readJson } from '../core/text.js'
import type { Detection } from '../detect/detection.js'
import { keptDetection, storedDetection } from '../detect/stored-detection.js'
import type { SharedTexts } from '../queue/claims.js'
import { VerdictFiles } from './verdict-files.js'

/** What must be the same for a stored detection to stand for a new one. */
export interface VerdictKey {
  readonly contentHash: string
  readonly detectorDigest: string
  readonly mediaType: MediaType
  /** See `Detection.platform`: another release or another ffmpeg may read the same bytes otherwise. */
  readonly platform: string
  /** See `Detection.expectedShare`: another one gives another risk. */
  readonly expectedShare: number
}

/** How long other daemons of the queue find a verdict, ms: the same bytes come again within minutes, as a rule. */
const SHARED_MS = 3_600_000

/**
 * Detections by what `VerdictKey` names, so that the same bytes are never inferred twice: one small
 * file each, and for an hour a text that the other daemons of the queue see.
 */
export class VerdictStore {
  readonly #files: VerdictFiles
  readonly #shared: SharedTexts | null

  /** @param maxBytes what the files take on disk; the oldest go first. Without it only `prune` removes any. */
  constructor(folder: string, shared: SharedTexts | null = null, maxBytes = Number.POSITIVE_INFINITY) {
    this.#files = new VerdictFiles(folder, maxBytes)
    this.#shared = shared
  }

  /** What cannot be read as a detection counts as absent: it is made again. @throws AttestdError queue-unreachable */
  async get(key: VerdictKey): Promise<Detection | null> {
    const kept = await this.#files.read(`${verdictName(key)}.json`)
    const own = kept && readJson(readable, kept.toString('utf8'))
    if (own) return own
    const text = await this.#shared?.get(verdictName(key))
    return typeof text === 'string' ? readJson(readable, text) : null
  }

  /** @throws AttestdError queue-unreachable, once the file is written */
  async put(key: VerdictKey, detection: Detection): Promise<void> {
    const name = verdictName(key)
    const text = JSON.stringify(z.encode(storedDetection, { risks: 'percent', detection }))
    await this.#files.write(`${name}.json`, text)
    await this.#shared?.set(name, text, SHARED_MS)
  }

  /** Removes verdicts older than `maxAgeMs`, and the oldest of more than the bound. */
  prune(maxAgeMs: number, now: number): Promise<void> {
    return this.#files.prune(maxAgeMs, now)
  }
}

/** 64 hex digits. Hashed, because a content hash comes from outside and must not choose a path or a key. */
export function verdictName({ contentHash, detectorDigest, mediaType, platform, expectedShare }: VerdictKey): string {
  const text = [contentHash, detectorDigest, mediaType, platform, expectedShare].join('\n')
  return createHash('sha256').update(text).digest('hex')
}

/** Older verdict files hold the detection itself, with risks from 0 to 1. */
const readable = z.union([storedDetection.transform(({ detection }) => detection), keptDetection])

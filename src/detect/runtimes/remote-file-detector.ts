import { createReadStream } from 'node:fs'
import fs from 'node:fs/promises'
import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { readAt } from '../../core/files.js'
import { jsonIn } from '../../core/text.js'
import { SNIFF_BYTES, sniff } from '../../formats/sniff.js'
import type { ChildDetector } from '../contract/child-detector.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { RemoteFileRuntime } from '../package/runtime.js'
import { abstention, fileScoreOf } from './file-score.js'
import { ModelServer, type ModelServerOptions } from './model-server.js'

const refusal = z.looseObject({ reason: z.string(), message: z.string().default('no reason given') })

/**
 * A server that reads the file itself: its bytes are the body of a POST, with the content type that their signature shows. The
 * answer is JSON as a module gives it, or `reason` and `message` where the server abstains.
 */
export function createRemoteFileDetector(
  pack: DetectorPackage,
  runtime: RemoteFileRuntime,
  options: Omit<ModelServerOptions, 'of'>,
): ChildDetector {
  const { id } = pack.manifest
  const server = new ModelServer(runtime, { ...options, of: id })
  return {
    pack,
    async measure(file) {
      const began = options.clock.monotonic()
      const headers = { 'content-type': await contentType(file), 'content-length': String((await fs.stat(file)).size) }
      const { body } = await server.ask('POST', runtime.url, headers, createReadStream(file))
      const answer = jsonIn(body.toString('utf8'))
      const refused = refusal.safeParse(answer).data
      if (refused) {
        const message = `${server.name} abstains: ${refused.message} (${refused.reason})`
        throw new AttestdError(abstention(refused.reason) ?? 'detector-failed', message)
      }
      const infer = options.clock.monotonic() - began
      return { ...fileScoreOf(answer, pack, 'server'), variants: [], elapsedMs: { decode: 0, infer } }
    },
  }
}

async function contentType(file: string): Promise<string> {
  const { class: kind, mime } = await sniff(await readAt(file, 0, SNIFF_BYTES))
  return mime ?? (kind === 'text' ? 'text/plain; charset=utf-8' : 'application/octet-stream')
}

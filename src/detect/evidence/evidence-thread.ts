import { parentPort } from 'node:worker_threads'
import { z } from 'zod'
// oxlint-disable-next-line no-restricted-imports -- the entry of a thread has nobody above it that passes one in
import { systemClock } from '../../core/clock.js'
import { readEvidence } from './read-evidence.js'

// Entry of the evidence thread: reads what one file after the other states about itself, until it is ended.

const requestSchema = z.strictObject({ file: z.string().min(1) })

parentPort?.on('message', async (raw) => {
  const { file } = requestSchema.parse(raw)
  const evidence = await readEvidence(file, systemClock)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(evidence)
})

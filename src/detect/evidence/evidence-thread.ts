import { parentPort } from 'node:worker_threads'
// oxlint-disable-next-line no-restricted-imports -- the entry of a thread has nobody above it that passes one in
import { systemClock } from '../../core/clock.js'
import { readEvidence } from './read-evidence.js'

// Entry of the evidence thread: reads what one file after the other states about itself, until it is ended. What its own
// process asks is not parsed: loading zod takes as long as reading the evidence of several files. What it answers is.

parentPort?.on('message', async ({ file }: { readonly file: string }) => {
  const evidence = await readEvidence(file, systemClock)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(evidence)
})

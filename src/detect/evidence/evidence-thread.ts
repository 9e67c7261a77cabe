import { parentPort } from 'node:worker_threads'
import { readEvidence } from './read-evidence.js'

// Entry of the evidence thread: reads what one file after the other states about itself, until it is ended. What its own
// process asks is not parsed: loading zod takes as long as reading the evidence of several files. What it answers is.

parentPort?.on('message', async ({ file }: { readonly file: string }) => {
  const evidence = await readEvidence(file)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(evidence)
})

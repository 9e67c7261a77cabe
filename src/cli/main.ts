#!/usr/bin/env node
import { runCommandLine } from './command-line.js'

// Whoever reads has seen enough, as `| head` does: the rest is for nobody.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

await runCommandLine(process.argv.slice(2))

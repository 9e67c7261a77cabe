#!/usr/bin/env node
import { runCommandLine } from './command-line.js'
import { errorForPeople, exitCodeOf } from './exit-code.js'
import { printErrorLines } from './terminal/print.js'

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads has seen enough, as `| head` does: the rest is for nobody.
    if (error.code === 'EPIPE') process.exit()
    printErrorLines(errorForPeople(error))
    process.exit(exitCodeOf(error))
  })
}

await runCommandLine(process.argv.slice(2))

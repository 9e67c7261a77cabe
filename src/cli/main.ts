#!/usr/bin/env node
import { reasonEntry } from '../core/reasons.js'
import { EXIT } from '../core/shutdown.js'
import { printErrorLines } from './terminal/print.js'

// Its modules are read all at once, for which few open files do not suffice.
const { runCommandLine, watchOutput } = await import('./command-line.js').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EMFILE') throw error
  const { fix, summary } = reasonEntry('limits-low')
  printErrorLines([`attestd: ${summary} ${error.message}  [limits-low]`, `  fix  ${fix}`])
  process.exit(EXIT.config)
})

watchOutput()
await runCommandLine(process.argv.slice(2))

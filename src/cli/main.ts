#!/usr/bin/env node
import { reasonEntry } from '../core/reasons.js'
import { EXIT } from '../core/shutdown.js'
import { printErrorLines, printOwnErrorLines } from './terminal/print.js'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  const { fix, summary } = reasonEntry('node-too-old')
  printOwnErrorLines([`attestd: ${summary} This is ${process.versions.node}.  [node-too-old]`, `  fix  ${fix}`])
  process.exit(EXIT.config)
}

// Its modules are read all at once, for which few open files do not suffice.
const { runCommandLine, watchOutput } = await import('./command-line.js').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EMFILE') throw error
  const { fix, summary } = reasonEntry('limits-low')
  printErrorLines([`attestd: ${summary} ${error.message}  [limits-low]`, `  fix  ${fix}`])
  process.exit(EXIT.config)
})

watchOutput()
await runCommandLine(process.argv.slice(2))

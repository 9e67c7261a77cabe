/**
 * Setup of every test file: keeps the compiled code of the embedded database, which V8 shares with each database thread of
 * this process. To compile it anew took two of the three seconds of processor time that an open and a close cost.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
globalThis.databaseCode ??= new WebAssembly.Module(readFileSync(path.join(path.dirname(entry), 'pglite.wasm')))

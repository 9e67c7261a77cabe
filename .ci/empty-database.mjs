// Makes the empty database that the embedded queue of a new data directory starts from, once for each set of dependencies and each schema.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../dist/core/clock.js'
import { PACKED_DATABASE, packEmptyDatabase } from '../dist/queue/embedded/empty-database.js'

const changed = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
const sources = ['package-lock.json', 'dist/queue/embedded/schema.js']
if (changed(PACKED_DATABASE) <= Math.max(...sources.map(changed))) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attestd-build-'))
  // Written aside and moved, because two builds may run at a time.
  fs.writeFileSync(path.join(folder, 'packed'), await packEmptyDatabase(path.join(folder, 'pg'), systemClock), {
    mode: 0o644,
  })
  fs.copyFileSync(path.join(folder, 'packed'), `${PACKED_DATABASE}.${process.pid}`)
  fs.renameSync(`${PACKED_DATABASE}.${process.pid}`, PACKED_DATABASE)
  fs.rmSync(folder, { recursive: true })
}

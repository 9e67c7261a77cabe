import fs from 'node:fs'
import { packagePath } from './files.js'

/** Version of the installed package. */
export const VERSION: string = JSON.parse(fs.readFileSync(packagePath('package.json'), 'utf8')).version

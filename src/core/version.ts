import fs from 'node:fs'
import { packagePath } from './files.js'

export const VERSION: string = JSON.parse(fs.readFileSync(packagePath('package.json'), 'utf8')).version

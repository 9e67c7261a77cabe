// Lets `npx attestd` find the checkout's own command right after `npm ci`: npm links only the commands of dependencies.
import fs from 'node:fs'

const link = 'node_modules/.bin/attestd'
if (fs.existsSync('node_modules/.bin')) {
  fs.rmSync(link, { force: true })
  fs.symlinkSync('../../dist/cli/main.js', link)
  fs.chmodSync('dist/cli/main.js', 0o755)
}

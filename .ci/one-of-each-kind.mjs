// Shortens the sample list of an installed attestd to the first file of each kind, after a look that every listed file is there:
// the demo of the checkout scores them all. Usage: node .ci/one-of-each-kind.mjs FOLDER, its `samples`.
import fs from 'node:fs'
import path from 'node:path'

const [folder] = process.argv.slice(2)
const list = path.join(folder, 'samples.json')
const samples = JSON.parse(fs.readFileSync(list, 'utf8'))
const lacking = samples.map(({ file }) => file).filter((file) => !fs.existsSync(path.join(folder, file)))
if (lacking.length > 0) {
  process.stdout.write(`Listed, but not there: ${lacking.join(', ')}\n`)
  process.exit(1)
}
const firstOfKind = new Map(samples.toReversed().map((sample) => [sample.mediaType, sample]))
fs.writeFileSync(list, JSON.stringify([...firstOfKind.values()]))

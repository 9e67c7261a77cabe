// Measures the house (`npm run measure:house`): sizes, imports and comments of `src/`, with the aims of CONTRIBUTING.md. With --list it
// names the largest files and functions, the circles, and small files that one neighbor imports.
import fs from 'node:fs'
import path from 'node:path'
import { readHouse } from './house-facts.mjs'

const SMALL_FILE_LINES = 40
const LISTED = 15

const house = readHouse()
const files = [...house].map(([file, facts]) => ({ file, ...facts }))
const functions = files.flatMap(({ file, functions: own }) => own.map((one) => ({ ...one, file })))
const folders = [...new Set(files.map(({ file }) => path.dirname(file)))].map((folder) => ({
  folder,
  files: inFolder(folder),
}))
const largestFolder = folders.toSorted((a, b) => b.files - a.files)[0]
const exported = files.flatMap(({ file, exports: own }) => own.map((one) => ({ ...one, file })))
const importedOnce = exported.filter((one) => importersOf(one).length === 1)
const circles = circlesOf(() => true)
const valueCircles = circlesOf(({ typesOnly }) => !typesOnly)
const sourceLines = sum(files.map(({ lines }) => lines))
const tests = fs.readdirSync('test', { recursive: true }).filter((file) => file.endsWith('.ts'))
const testLines = sum(tests.map((file) => fs.readFileSync(path.join('test', file), 'utf8').split('\n').length - 1))

const rows = [
  ['Source files; lines', `${files.length}; ${sourceLines}`],
  ['Lines of a file: p50, p90, max', spread(files)],
  ['Functions with a name', functions.length],
  ['Lines of a function: p50, p90, max', spread(functions)],
  ['Files of the largest folder', `${largestFolder.files} (${largestFolder.folder})`],
  ['Folders of more than 20 files', folders.filter((one) => one.files > 20).length],
  ['Exports; with one importer in `src/`', `${exported.length}; ${importedOnce.length}`],
  [`Files of ${SMALL_FILE_LINES} lines or less that one file imports, in the same folder`, smallFiles().length],
  ['Import circles: of values, of values and types', `${valueCircles.length}, ${circles.length}`],
  ['Lines of comment', percent(sum(files.map(({ comments }) => comments)) / sourceLines)],
  ['Exports with a docstring', percent(exported.filter(({ hasDocstring }) => hasDocstring).length / exported.length)],
  ['Lines of tests to lines of source', `${testLines}; ${(testLines / sourceLines).toFixed(2)}`],
]
print(rows.map(([what, figure]) => `| ${what} | ${figure} |`))
if (process.argv.includes('--list')) {
  print(['', 'Largest files:', ...largest(files).map(({ file, lines }) => `${lines} ${file}`)])
  print(['', 'Largest functions:', ...largest(functions).map(({ file, name, lines }) => `${lines} ${name} (${file})`)])
  print(['', 'Circles:', ...circles.map((circle) => circle.join(' '))])
  print(['', 'Small files with one importer, in the same folder:', ...smallFiles()])
}

function inFolder(folder) {
  return files.filter(({ file }) => path.dirname(file) === folder).length
}

/** Files of `src/` that import this export. */
function importersOf({ file, name }) {
  return files.filter(({ imports }) =>
    imports.some(({ from, names }) => from === file && (names?.includes(name) ?? true)),
  )
}

function smallFiles() {
  return files
    .filter(({ lines }) => lines <= SMALL_FILE_LINES)
    .flatMap(({ file, lines }) => {
      const importers = files.filter(({ imports }) => imports.some(({ from }) => from === file))
      const isNeighbor = importers.length === 1 && path.dirname(importers[0].file) === path.dirname(file)
      return isNeighbor ? [`${lines} ${file} <- ${path.basename(importers[0].file)} (${importers[0].lines})`] : []
    })
}

/** Groups of files that reach each other through imports (Tarjan's strongly connected components). */
function circlesOf(counts) {
  const found = []
  const open = []
  const seen = new Map()
  const visit = (file) => {
    const own = { order: seen.size, lowest: seen.size, isOpen: true }
    seen.set(file, own)
    open.push(file)
    for (const { from } of house.get(file).imports.filter(counts)) {
      if (!house.has(from)) continue
      if (!seen.has(from)) visit(from)
      if (seen.get(from).isOpen) own.lowest = Math.min(own.lowest, seen.get(from).lowest)
    }
    if (own.lowest !== own.order) return
    const group = open.splice(open.indexOf(file))
    for (const member of group) seen.get(member).isOpen = false
    if (group.length > 1) found.push(group)
  }
  for (const { file } of files) if (!seen.has(file)) visit(file)
  return found
}

function spread(sized) {
  const sorted = sized.map(({ lines }) => lines).sort((a, b) => a - b)
  const at = (share) => sorted[Math.ceil(share * sorted.length) - 1]
  return `${at(0.5)}, ${at(0.9)}, ${at(1)}`
}

function largest(sized) {
  return sized.toSorted((a, b) => b.lines - a.lines).slice(0, LISTED)
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0)
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`
}

function print(lines) {
  process.stdout.write(`${lines.join('\n')}\n`)
}

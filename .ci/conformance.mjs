// Runs test/conformance and writes docs/conformance.md from what passed (`npm run conformance`); with --check it compares.
import fs from 'node:fs'
import { startVitest } from 'vitest/node'
import { conformancePage, uncovered } from './conformance-page.mjs'

const PAGE = 'docs/conformance.md'
const check = process.argv.includes('--check')

const vitest = await startVitest('test', ['test/conformance'], { watch: false, reporters: ['dot'] })
const modules = vitest.state.getTestModules().toSorted((a, b) => a.moduleId.localeCompare(b.moduleId))
const tests = modules.flatMap((module) => [...module.children.allTests()])
const failed = vitest.state.getUnhandledErrors().length > 0 || !modules.length || modules.some((module) => !module.ok())
const skipped = tests.filter((test) => test.result().state !== 'passed')
await vitest.close()

const fail = (text) => {
  process.stdout.write(`${text}\n`)
  process.exit(1)
}
if (failed) fail('The table is made of a run without failures only.')
if (skipped.length > 0) fail(`Not run: ${skipped.map((test) => test.fullName).join(', ')}`)
const rows = tests.flatMap((test) => test.meta().conformance ?? [])
const routes = tests.map((test) => test.meta().conformanceRoutes).find((one) => one !== undefined)
const missing = uncovered(rows, routes)
if (missing.length > 0) fail(`No rule of the table covers ${missing.join(', ')}.`)

const page = conformancePage(rows, routes)
const kept = fs.existsSync(PAGE) ? fs.readFileSync(PAGE, 'utf8') : ''
if (kept === page) process.stdout.write(`unchanged: ${PAGE}\n`)
else if (check) fail(`drifted: ${PAGE}\nRun \`npm run conformance\` and commit the result.`)
else {
  fs.writeFileSync(PAGE, page)
  process.stdout.write(`written: ${PAGE}\n`)
}
process.exit(0)

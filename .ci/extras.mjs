// Runs what a run of the suite skipped because a tool was missing there, where the tools are: every such test must pass.
// Usage: node .ci/extras.mjs REPORT, what `vitest run --reporter=json` wrote. Needs `npm run build`.
import fs from 'node:fs'
import { startVitest } from 'vitest/node'

const { testResults } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const skipped = testResults.flatMap(({ name: file, assertionResults }) =>
  assertionResults.filter(({ status }) => status !== 'passed').map(({ fullName }) => ({ file, fullName })),
)
const escaped = skipped.map(({ fullName }) => fullName.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
const vitest = await startVitest('test', [...new Set(skipped.map(({ file }) => file))], {
  watch: false,
  testNamePattern: new RegExp(`^(?:${escaped.join('|')})$`),
})
const passed = new Set()
for (const module of vitest.state.getTestModules()) {
  for (const test of module.children.allTests('passed')) passed.add(`${module.moduleId} ${nameOf(test)}`)
}
const failed =
  vitest.state.getUnhandledErrors().length > 0 || vitest.state.getTestModules().some((module) => !module.ok())
await vitest.close()
const left = skipped.filter(({ file, fullName }) => !passed.has(`${file} ${fullName}`))
for (const { file, fullName } of left) {
  process.stdout.write(`Skipped on a machine with Node alone, and did not pass here: ${file} ${fullName}\n`)
}
process.exit(failed || left.length > 0 || skipped.length === 0 ? 1 : 0)

/** As reports write it. `fullName` of vitest's own has other signs between the parts. */
function nameOf(test) {
  return test.parent.type === 'module' ? test.name : `${nameOf(test.parent)} ${test.name}`
}

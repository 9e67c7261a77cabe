// Runs what a run of the suite skipped because a tool was missing there, where the tools are: every such test must pass.
// Usage: node .ci/extras.mjs REPORT, what `vitest run --reporter=json` wrote. Needs `npm run build`.
import fs from 'node:fs'
import { runSuite } from './suite.mjs'

const { testResults } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const skipped = testResults.flatMap(({ name: file, assertionResults }) =>
  assertionResults.filter(({ status }) => status !== 'passed').map(({ fullName }) => ({ file, fullName })),
)
const escaped = skipped.map(({ fullName }) => fullName.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
const { ok, passed } = await runSuite([...new Set(skipped.map(({ file }) => file))], {
  testNamePattern: new RegExp(`^(?:${escaped.join('|')})$`),
})
const left = skipped.filter(({ file, fullName }) => !passed.has(`${file} ${fullName}`))
for (const { file, fullName } of left) {
  process.stdout.write(`Skipped on a machine with Node alone, and did not pass here: ${file} ${fullName}\n`)
}
process.exit(!ok || left.length > 0 || skipped.length === 0 ? 1 : 0)

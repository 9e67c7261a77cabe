// Runs tests as `vitest run` does, with the same arguments; a file that fails among the others runs once more by itself, when
// all else is done. Usage: node .ci/suite.mjs [ARGUMENTS]. Needs `npm run build`.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseCLI, startVitest } from 'vitest/node'

/** More files than these that fail among others are no coincidence. */
const MOST_AGAIN = 3

/**
 * @param {string[]} filters of files
 * @param {object} options of vitest
 * @returns whether all passed in the end, and `MODULE NAME` of each test that passed
 */
export async function runSuite(filters, options) {
  const all = await runOnce(filters, options)
  const { failed, passed } = all
  if (failed.length === 0 || all.hasStrayErrors || failed.length > MOST_AGAIN) return { ok: all.ok, passed }
  print(`\nFailed among the others, and run again by themselves: ${failed.map(shown).join(', ')}`)
  let ok = true
  for (const file of failed) {
    const alone = await runOnce([file], { ...options, reporter: ['default'], outputFile: undefined })
    for (const name of alone.passed) passed.add(name)
    ok &&= alone.ok
    print(`${shown(file)}: failed among the others, ${alone.ok ? 'passed' : 'failed'} alone`)
  }
  return { ok, passed }
}

async function runOnce(filters, options) {
  const vitest = await startVitest('test', filters, { ...options, watch: false, run: true })
  const modules = vitest.state.getTestModules()
  const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId)
  const passed = new Set(
    modules.flatMap((module) =>
      [...module.children.allTests('passed')].map((test) => `${module.moduleId} ${nameOf(test)}`),
    ),
  )
  const hasStrayErrors = vitest.state.getUnhandledErrors().length > 0
  await vitest.close()
  return { failed, passed, hasStrayErrors, ok: modules.length > 0 && failed.length === 0 && !hasStrayErrors }
}

/** As reports write it. `fullName` of vitest's own has other signs between the parts. */
function nameOf(test) {
  return test.parent.type === 'module' ? test.name : `${nameOf(test.parent)} ${test.name}`
}

function shown(file) {
  return path.relative('.', file)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
  // As vitest's own command does: what a flag excludes is on top of what the configuration does.
  const { exclude: cliExclude, ...rest } = options
  const { ok } = await runSuite(filter, { ...rest, cliExclude })
  process.exit(ok ? 0 : 1)
}

const SHOWN = 20

/** Reporter of vitest: prints the test files that took longest, so that the suite stays fast (`npm run test:slow`). */
export default class SlowestFiles {
  onTestRunEnd(modules) {
    const timed = modules.map((module) => ({ file: module.relativeModuleId, ms: tookMs(module.diagnostic()) }))
    const all = timed.reduce((sum, { ms }) => sum + ms, 0)
    process.stdout.write(`\nThe slowest of ${timed.length} files, which took ${seconds(all)} together:\n`)
    for (const { file, ms } of timed.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN)) {
      process.stdout.write(`${seconds(ms).padStart(10)}  ${file}\n`)
    }
  }
}

const tookMs = ({ collectDuration, duration, setupDuration }) => setupDuration + collectDuration + duration
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`

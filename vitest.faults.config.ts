import { defineConfig } from 'vitest/config'
import { temporaryFiles } from './test/support/temporary-files.js'

// As in vitest.config.ts.
process.umask(0o022)

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    setupFiles: ['test/support/compared-values.ts', 'test/support/database-code.mjs'],
    env: temporaryFiles(),
    pool: 'forks',
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // Its daemons mostly wait, for locks, windows and pauses: three runs side by side fill two cores.
    maxWorkers: 3,
  },
})

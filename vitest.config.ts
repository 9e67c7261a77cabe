import { defineConfig } from 'vitest/config'
import { temporaryFiles } from './test/support/temporary-files.js'

// Tests write files that others can read, such as a package that a caged process of root reads as another user.
process.umask(0o022)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The fault suite drives real processes for minutes: `npm run test:faults`.
    exclude: ['test/faults/**'],
    setupFiles: [
      'test/support/picture-formats.ts',
      'test/support/compared-values.ts',
      'test/support/database-code.mjs',
    ],
    env: temporaryFiles(),
    pool: 'forks',
    // Files that a worker runs one after the other share what was loaded: loading it anew for each took a third of the suite's time.
    isolate: false,
    // Limits of a hang: a machine may be slow and do other work, so tests have no limits of their own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // More than the two cores that this is measured on, since some tests wait for what others compute.
    maxWorkers: 5,
  },
})

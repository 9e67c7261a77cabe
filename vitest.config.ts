import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The fault suite drives real processes for minutes: `npm run test:faults`.
    exclude: ['test/faults/**'],
    globalSetup: ['test/support/daemon-scratch.ts'],
    pool: 'forks',
    // Files that a worker runs one after the other share what was loaded: a fifth of the suite's time was loading it anew for each.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})

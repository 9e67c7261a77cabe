import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/daemon-scratch.ts'],
    pool: 'forks',
    isolate: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Its daemons mostly wait, for locks, windows and pauses: four runs beside each other fill two cores.
    maxWorkers: 4,
  },
})

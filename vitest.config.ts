import { defineConfig } from 'vitest/config'

/**
 * Rooms of which each file needs a process of its own: their tests load the picture library, which shuts its decoders of other
 * formats for good.
 */
const APART = ['detect', 'lab', 'formats'].map((room) => `test/${room}/**/*.test.ts`)

export default defineConfig({
  test: {
    globalSetup: ['test/support/daemon-scratch.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'apart', include: APART } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          // The fault suite drives real processes for minutes: `npm run test:faults`.
          exclude: ['test/faults/**', ...APART],
          // Files that a worker runs one after the other share what was loaded: loading it anew for each took a fifth of the suite's time.
          isolate: false,
        },
      },
    ],
  },
})

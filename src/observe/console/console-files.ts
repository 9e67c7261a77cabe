import fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

const require = createRequire(import.meta.url)
const own = (name: string) => fileURLToPath(new URL(`./browser/${name}`, import.meta.url))
const SCRIPT = 'text/javascript; charset=utf-8'

/** What the console loads in addition to its page: its scripts, and uPlot as it was installed. Nothing comes from another site. */
const FILES = {
  '/console/follow.js': { file: own('follow.js'), type: SCRIPT },
  '/console/plots.js': { file: own('plots.js'), type: SCRIPT },
  '/console/return.js': { file: own('return.js'), type: SCRIPT },
  '/console/review.js': { file: own('review.js'), type: SCRIPT },
  '/console/uplot.js': { file: require.resolve('uplot/dist/uPlot.iife.min.js'), type: SCRIPT },
  '/console/uplot.css': { file: require.resolve('uplot/dist/uPlot.min.css'), type: 'text/css; charset=utf-8' },
} as const

export function registerConsoleFiles(app: FastifyInstance): void {
  for (const [route, { file, type }] of Object.entries(FILES)) {
    app.get(route, async (_request, reply) => reply.type(type).send(await fs.readFile(file)))
  }
}

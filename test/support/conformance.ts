import { describe, it, type TestContext } from 'vitest'

/** The routes of both documents, as their tables of endpoints name them, in that order. */
export const ROUTES = {
  'signed-key': [
    'GET /api/v1/ping',
    'GET /api/v1/time',
    'GET /api/v1/health',
    'GET /api/v1/attester/media',
    'GET /api/v1/attester/media/:id',
    'GET /api/v1/attester/media/stream',
    'POST /api/v1/attester/media/:id/scores',
    'POST /api/v1/submitter/media',
    'POST /api/dashboard/api-keys',
    'DELETE /api/dashboard/api-keys',
    'POST /api/media/upload',
  ],
  'wallet-session': [
    'GET /health',
    'GET /v1/auth/challenge',
    'POST /v1/auth/session',
    'GET /v1/chain/latest',
    'POST /v1/media/upload',
    'POST /v1/assets',
    'GET /v1/assets/by-owner',
    'GET /v1/assets/open',
    'GET /v1/assets/:id',
    'POST /v1/assets/:id/scores',
    'GET /v1/stream/open-assets',
  ],
} as const

export type Api = keyof typeof ROUTES
type RouteOf<A extends Api> = (typeof ROUTES)[A][number] | 'every route' | 'every private route'

type Check = (context: TestContext) => unknown

/** What each side does for a rule: a test, or why it has no part in it. */
interface Sides {
  readonly sandbox: Check | `– ${string}`
  readonly client: Check | `– ${string}`
}

/** A row of the conformance table as a test that passed hands it to the page. */
export interface ConformanceRow {
  readonly api: Api
  readonly route: string
  /** The rule in one sentence. */
  readonly rule: string
  /** Heading of the document that states it. */
  readonly section: string
  readonly side: 'sandbox' | 'client'
  /** Sides without a part in it, with the reason. */
  readonly absent: Readonly<Partial<Record<'sandbox' | 'client', string>>>
}

declare module 'vitest' {
  interface TaskMeta {
    conformance?: ConformanceRow
    conformanceRoutes?: typeof ROUTES
  }
}

/** One rule of a route, checked on both sides; `npm run conformance` makes the table of those that passed. */
export function rulesOf<A extends Api>(api: A) {
  return (route: RouteOf<A>) =>
    (rule: string, section: string, sides: Sides): void => {
      const { sandbox, client } = sides
      const absent = Object.fromEntries(Object.entries(sides).filter(([, check]) => typeof check === 'string'))
      describe(`${route}: ${rule}`, () => {
        for (const [side, check] of Object.entries({ sandbox, client })) {
          if (typeof check === 'string') continue
          it(side, async (context) => {
            context.task.meta.conformance = { api, route, rule, section, side: side as 'sandbox' | 'client', absent }
            await check(context)
          })
        }
      })
    }
}

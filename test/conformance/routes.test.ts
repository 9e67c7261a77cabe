import { expect, it } from 'vitest'
import { ROUTES } from '../support/conformance.js'
import { startSandbox } from '../support/sandbox.js'
import { send } from '../support/sandbox-requests.js'

/** Tags of the two APIs in the sandbox's OpenAPI document. */
const API_TAGS = new Set(['attester', 'submitter', 'keys', 'session', 'session attester', 'session submitter'])
/** Routes of the sandbox that no document states. */
const OWN = new Set(['GET /openapi.json', 'GET /api/v1/submitter/media'])

it('the table covers every route of the documents, and every route of the sandbox under their tags', async (context) => {
  context.task.meta.conformanceRoutes = ROUTES
  const sandbox = await startSandbox()
  context.onTestFinished(() => sandbox.close())
  const { paths } = (await send(sandbox.url, { method: 'GET', target: '/openapi.json' })).json
  const served = Object.entries<Record<string, { tags: string[] }>>(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags }]) => ({
      route: `${method.toUpperCase()} ${path.replace('{id}', ':id')}`,
      isOfApi: tags.some((tag) => API_TAGS.has(tag) || tag === 'public'),
    })),
  )
  const stated: readonly string[] = Object.values(ROUTES).flat()
  const all = served.map(({ route }) => route)
  expect(stated.filter((route) => !all.includes(route))).toEqual([])
  const unknown = served.filter(({ route, isOfApi }) => isOfApi && !stated.includes(route) && !OWN.has(route))
  expect(unknown).toEqual([])
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { SandboxControl } from '../../../src/sandbox/admin/sandbox-control.js'
import { createApp } from '../../../src/sandbox/create-app.js'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import { createWorld } from '../../../src/sandbox/create-world.js'
import { checkOptions } from '../../../src/sandbox/sandbox-options.js'
import { Storage } from '../../../src/sandbox/storage/storage.js'
import { ROUTES } from '../../support/conformance.js'
import { startSandbox } from '../../support/sandbox.js'
import { send } from '../../support/sandbox-requests.js'

/** Routes that need no credentials. */
const PUBLIC = /^GET (?:\/api\/v1\/(?:ping|time|health)|\/health|\/v1\/auth\/challenge)$|^POST \/v1\/auth\/session$/

/** What the documents state that a route needs. */
function credentialsOf(route: string): string[] {
  if (PUBLIC.test(route)) return []
  if (route.includes('/v1/') && !route.includes('/api/')) return ['walletSession']
  return route.includes('/api/v1/') ? ['accessKey', 'timestamp', 'signature'] : ['session']
}

let sandbox: Sandbox
// biome-ignore lint/suspicious/noExplicitAny: the document is walked freely
let document: any

beforeAll(async () => {
  sandbox = await startSandbox({ headerPrefix: 'Acme' })
  document = (await get('/openapi.json')).json
})
afterAll(() => sandbox.close())

const get = (target: string) => send(sandbox.url, { method: 'GET', target })

describe('/openapi.json', () => {
  it('is OpenAPI 3.1', async () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    expect((await get('/openapi.json')).headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it.each<string>(Object.values(ROUTES).flat())('%s: lists the credentials of its document', (route) => {
    const [method = '', path = ''] = route.replace(':id', '{id}').split(' ')
    const [security = {}] = document.paths[path][method.toLowerCase()].security ?? []
    expect(Object.keys(security)).toEqual(credentialsOf(route))
  })

  it('has every route of the sandbox, except pages', async () => {
    const world = await createWorld(
      checkOptions({ clock: systemClock }),
      Storage.inMemory(),
      new AbortController().signal,
    )
    const app = await createApp(world, new SandboxControl(world))
    // The printed tree leaves out what stands before a wildcard.
    const routes = routesOf(app.printRoutes({ commonPrefix: false })).map((route) =>
      route === 'GET /{path}' && app.hasRoute({ method: 'GET', url: '/ipfs/*' }) ? 'GET /ipfs/{path}' : route,
    )
    await app.close()
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(routes.filter((route) => !documented.includes(route)).toSorted()).toEqual(['GET /'])
    expect(documented.filter((route) => !routes.includes(route))).toEqual([])
  })

  it('is complete: operations have a summary, an explained tag, responses, and declared path parameters', () => {
    const tags = document.tags.map((tag: { name: string }) => tag.name)
    for (const [path, item] of Object.entries<Record<string, never>>(document.paths)) {
      expect(path.startsWith('/')).toBe(true)
      for (const operation of Object.values<Record<string, never>>(item)) {
        expect(operation.summary, path).toBeTypeOf('string')
        expect(tags, path).toEqual(expect.arrayContaining(operation.tags ?? ['none']))
        expect(Object.keys(operation.responses ?? {}).length, path).toBeGreaterThan(0)
        const declared = ((operation.parameters ?? []) as { in: string; name: string; required?: boolean }[])
          .filter((parameter) => parameter.in === 'path' && parameter.required === true)
          .map((parameter) => parameter.name)
        expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))
        expect(path.replaceAll(/\{\w+\}/g, '')).not.toMatch(/[{}*]/)
      }
    }
  })

  it('refers only to existing parts, and every part is referred to', () => {
    const text = JSON.stringify(document)
    const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]))
    expect(text.match(/"\$ref":"(?!#\/components\/schemas\/)/)).toBeNull()
    expect([...referred].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted())
  })

  it('has every security scheme that an operation names, under the current header prefix', () => {
    const named = new Set(
      Object.values<Record<string, { security?: object[] }>>(document.paths)
        .flatMap((item) => Object.values(item))
        .flatMap((operation) => (operation.security ?? []).flatMap((requirement) => Object.keys(requirement))),
    )
    expect([...named].toSorted()).toEqual(Object.keys(document.components.securitySchemes).toSorted())
    expect(document.components.securitySchemes.accessKey.name).toBe('Acme-Access-Key')
  })

  it('states errors as each API has them', () => {
    const error = (path: string, status: number) =>
      document.paths[path].get.responses[status].content['application/json'].schema.$ref
    expect(error('/v1/assets/open', 401)).toBe('#/components/schemas/PlainError')
    expect(document.components.schemas.PlainError.properties).toMatchObject({ error: { type: 'string' } })
    expect(error('/api/v1/attester/media', 401)).toBe('#/components/schemas/Error')
  })

  it('states the rules of the bodies', () => {
    const score = document.paths['/api/v1/attester/media/{id}/scores'].post.requestBody
    expect(score.content['application/json'].schema).toMatchObject({
      required: ['deepfakeRiskScore', 'algorithm'],
      properties: { deepfakeRiskScore: { type: 'number', minimum: 0, maximum: 100 } },
    })
    const register = document.paths['/api/v1/submitter/media'].post.requestBody.content['application/json'].schema
    expect(register.properties.mediaContext).toMatchObject({ type: 'string', maxLength: 200 })
    expect(document.paths['/api/media/upload'].post.requestBody.content).toHaveProperty(['multipart/form-data'])
    expect(document.paths['/v1/media/upload'].post.requestBody.content).toHaveProperty(['multipart/form-data'])
    const attested = document.paths['/v1/assets/{id}/scores'].post.requestBody.content['application/json'].schema
    expect(attested).toMatchObject({
      required: ['authenticityScore', 'deepfakeRiskBps', 'algorithm', 'offchainAttestation'],
      properties: { deepfakeRiskBps: { type: 'integer', minimum: 0, maximum: 10_000 } },
    })
  })
})

describe('pages', () => {
  it('/ redirects to /docs', async () => {
    const { status, headers } = await get('/')
    expect([status, headers.location]).toEqual([302, '/docs'])
  })

  it('/docs loads nothing from elsewhere', async () => {
    const { body, headers } = await get('/docs')
    const assets = [...body.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(assets.length).toBeGreaterThan(3)
    for (const asset of assets) {
      expect(asset).toMatch(/^(\.\/|\/)?(docs\/)?static\//)
      const target = new URL(asset, `${sandbox.url}/docs`).pathname
      expect([asset, (await get(target)).status]).toEqual([asset, 200])
    }
    expect(String(headers['content-security-policy'])).toContain("default-src 'self'")
  })
})

/** `METHOD /path/{name}` of every route in fastify's printed tree, HEAD and the pages of /docs aside. */
function routesOf(tree: string): string[] {
  const routes: string[] = []
  const stack: string[] = []
  for (const line of tree.split('\n').filter((text) => text.trim() !== '')) {
    const match = /^((?:│ {3}| {4})*)(?:├── |└── )(.*?)(?: \(([A-Z, ]+)\))?$/.exec(line)
    if (match === null) throw new Error(`cannot read the route tree: ${line}`)
    const depth = (match[1] ?? '').length / 4
    stack.length = depth
    stack.push(match[2] ?? '')
    const path = stack
      .join('')
      .replaceAll(/:(\w+)/g, '{$1}')
      .replace('*', '{path}')
    if (path.startsWith('/docs')) continue
    const methods = (match[3] ?? '').split(', ').filter((method) => method !== '' && method !== 'HEAD')
    for (const method of methods) routes.push(`${method} ${path}`)
  }
  return routes
}

import fastifySwagger, { type SwaggerTransform, type SwaggerTransformObject } from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'

/** Security requirement of the signed routes: the three headers together. */
export const SIGNED = [{ accessKey: [], timestamp: [], signature: [] }]
/** Security requirement of the dashboard routes. */
export const SESSION = [{ session: [] }]
/** Security requirement of the routes behind a wallet's session. */
export const WALLET_SESSION = [{ walletSession: [] }]

const DESCRIPTION = `A complete local service to develop against: signed-key API v1, wallet-session API, media upload, a
trustless IPFS gateway, and switches for faults, clock, stake and assets. Both APIs share assets, scores and media.

A signed request carries an access key, a timestamp in Unix milliseconds and a signature: the lower-case hex HMAC-SHA256,
keyed by the signing secret, of four lines joined by newlines: timestamp as sent, method, path with query as sent,
lower-case hex SHA-256 of the raw body (of nothing for GET). Every header also has an \`X-\` alias.

A wallet session begins with a challenge: its text is signed with EIP-191 personal sign and exchanged for a bearer token
that carries the roles the wallet has in the stake contract.`

/** Collects every route into one OpenAPI 3.1 document. Register before the routes. */
export async function documentRoutes(app: FastifyInstance, headerPrefix: string): Promise<void> {
  const header = (name: string, description: string) =>
    ({ type: 'apiKey', in: 'header', name: `${headerPrefix}-${name}`, description }) as const
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'attestd sandbox', version: '1', description: DESCRIPTION },
      tags: [
        { name: 'public', description: 'No credentials.' },
        { name: 'attester', description: 'Signed with an attester key; the wallet must have enough at stake.' },
        { name: 'submitter', description: 'Signed with a submitter key; the wallet must have enough at stake.' },
        { name: 'session', description: 'A bearer token for the signature of a wallet that has a role.' },
        { name: 'session attester', description: 'Behind the session of a wallet with the attester (verifier) role.' },
        {
          name: 'session submitter',
          description: 'Behind the session of a wallet with the submitter (contributor) role.',
        },
        { name: 'keys', description: 'Keys, with the session token that the sandbox prints at start.' },
        { name: 'media', description: 'Upload and the trustless IPFS gateway.' },
        { name: 'sandbox', description: 'Switches and views of the sandbox itself; from this machine only.' },
      ],
      components: {
        securitySchemes: {
          accessKey: header('Access-Key', 'Public key identifier.'),
          timestamp: header('Timestamp', 'Unix time in milliseconds.'),
          signature: header('Signature', 'Lower-case hex HMAC-SHA256 of the canonical payload.'),
          walletSession: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'Token of a wallet session, from /v1/auth/session.',
          },
          session: { type: 'http', scheme: 'bearer', description: 'Session token of the development account.' },
        },
      },
    },
    transform: namedWildcard,
    transformObject: usedComponents,
  })
}

/** The document at /openapi.json and the page at /docs, all files from the package itself. Register after the routes. */
export async function serveDocuments(app: FastifyInstance): Promise<void> {
  app.get(
    '/openapi.json',
    { schema: { tags: ['public'], summary: 'This document' } as never },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
  )
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // Null keeps the page from asking a validator on the web.
    uiConfig: { validatorUrl: null },
  })
}

/** Zod to JSON schema; and a route's `*`, which has no name, becomes `{path}`, because a path template needs one. */
const namedWildcard: SwaggerTransform = (route) => {
  const { schema, url } = jsonSchemaTransform(route)
  if (!url.endsWith('*')) return { schema, url }
  return { schema: JSON.parse(JSON.stringify(schema).replaceAll('"*"', '"path"')), url: url.replace(/\*$/, ':path') }
}

/** Schemas with an id as components; each is made as input and as output, and only what a route refers to is kept. */
const usedComponents: SwaggerTransformObject = (document) => {
  const whole = jsonSchemaTransformObject(document)
  if (!('components' in whole)) return whole
  const text = JSON.stringify(whole)
  const schemas = Object.entries(whole.components?.schemas ?? {}).filter(([name]) =>
    text.includes(`"#/components/schemas/${name}"`),
  )
  return { ...whole, components: { ...whole.components, schemas: Object.fromEntries(schemas) } } as typeof whole
}

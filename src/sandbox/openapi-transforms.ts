import type { SwaggerTransform, SwaggerTransformObject } from '@fastify/swagger'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'

/** Zod to JSON schema; and a route's `*`, which has no name, becomes `{path}`, because a path template needs one. */
export const namedWildcard: SwaggerTransform = (route) => {
  const { schema, url } = jsonSchemaTransform(route)
  if (!url.endsWith('*')) return { schema, url }
  return { schema: JSON.parse(JSON.stringify(schema).replaceAll('"*"', '"path"')), url: url.replace(/\*$/, ':path') }
}

/** Schemas with an id as components; each is made as input and as output, and only what a route refers to is kept. */
export const usedComponents: SwaggerTransformObject = (document) => {
  const whole = jsonSchemaTransformObject(document)
  if (!('components' in whole)) return whole
  const text = JSON.stringify(whole)
  const schemas = Object.entries(whole.components?.schemas ?? {}).filter(([name]) =>
    text.includes(`"#/components/schemas/${name}"`),
  )
  return { ...whole, components: { ...whole.components, schemas: Object.fromEntries(schemas) } } as typeof whole
}

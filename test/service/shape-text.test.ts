import { expect, it } from 'vitest'
import { nameText, shapeText } from '../../src/service/shape-text.js'

it('lists the keys of a value, and nested ones', () => {
  expect(shapeText([{ data: { latestBlock: 1, asset_id: 2 }, 'x-y.z': [] }])).toBe(
    'a list of which the first is an object with the keys data (latestBlock, asset_id), x-y.z',
  )
})

// Found by `npm run fuzz` (seed 5, replies 500): a service repeated the session token as a key.
it.each([
  'Bearer YW2PoI5Lflfeu2Vky7UJmAF78VKDJgzE',
  'WIuhlyLMpw3mS6LfalhhixYIn2qs_3jt',
  'f'.repeat(64),
  'a1b2c3d4e5f6',
])('omits keys that may be a secret, such as %s', (secret) => {
  const text = shapeText({ [secret]: 1, inner: { [secret]: 2 } }) + nameText(secret)
  expect(text).not.toContain(secret)
  expect(text).toContain(`(${secret.length} characters that are no name)`)
})

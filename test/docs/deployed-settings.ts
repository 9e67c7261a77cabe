import { expect } from 'vitest'
import { loadSettings } from '../../src/config/load.js'
import type { Settings } from '../../src/config/settings.js'

/**
 * The settings that a daemon takes from the environment of a deployment file; fails where a name or value is wrong.
 * Secret files lie where it is deployed; a value that each of them may have stands for them here.
 */
export function acceptedSettings(environment: Readonly<Record<string, string>>): Settings {
  const plain = Object.entries(environment).map(([name, value]) => {
    if (name === 'ATTESTD_QUEUE_URL_FILE') return ['ATTESTD_QUEUE_URL', 'redis://queue.internal:6379']
    if (name.endsWith('_FILE')) return [name.slice(0, -'_FILE'.length), 'ak_att_0123456789-0123456789-0123456789']
    return [name, value.replace(/^\$.*$/, 'https://verify.example')]
  })
  const keyed = 'ATTESTD_SIGNING_SECRET_FILE' in environment
  const { settings, unknownEnv } = loadSettings({
    env: Object.fromEntries(plain),
    need: () => (keyed ? ['serviceUrl', 'accessKey', 'signingSecret'] : []),
  })
  expect(unknownEnv).toEqual([])
  return settings
}

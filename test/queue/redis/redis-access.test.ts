import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { redisTarget } from '../../../src/queue/redis/redis-access.js'
import { parseRedisUrl } from '../../../src/queue/redis/redis-url.js'
import { folderForAll } from '../../support/temporary-folder.js'

describe('the credentials for Redis', () => {
  const folder = folderForAll()
  beforeAll(async () => {
    for (const name of ['ca', 'cert', 'key']) await fs.writeFile(at(name), `-----BEGIN ${name}-----\n`)
    await fs.writeFile(at('der'), Buffer.from([0x30, 0x82]))
  })
  const at = (name: string) => path.join(folder, name)

  it('are the password of the settings before that of the URL', () => {
    const address = parseRedisUrl('redis://me:from-url@h')
    expect(redisTarget(address, {})).toMatchObject({ username: 'me', password: 'from-url', tlsOptions: null })
    expect(redisTarget(address, { password: 'setting', sentinelPassword: 's' })).toMatchObject({
      password: 'setting',
      sentinelPassword: 's',
    })
  })

  it('are read from the files, with TLS only', () => {
    const files = { caFile: at('ca'), certFile: at('cert'), keyFile: at('key') }
    expect(redisTarget(parseRedisUrl('rediss://h'), files).tlsOptions).toEqual({
      ca: '-----BEGIN ca-----\n',
      cert: '-----BEGIN cert-----\n',
      key: '-----BEGIN key-----\n',
    })
    expect(redisTarget(parseRedisUrl('rediss://h'), {}).tlsOptions).toEqual({})
    expect(redisTarget(parseRedisUrl('redis://h'), files).tlsOptions).toBeNull()
  })

  it.each([
    [{ caFile: 'none' }, /ATTESTD_QUEUE_TLS_CA \(.*none\) cannot be read: .*ENOENT/],
    [{ certFile: 'none' }, /ATTESTD_QUEUE_TLS_CERT .* cannot be read/],
    [{ keyFile: 'der' }, /ATTESTD_QUEUE_TLS_KEY names .*der, which is not a PEM file/],
    [{ caFile: '.' }, /ATTESTD_QUEUE_TLS_CA .* cannot be read: .*EISDIR/],
  ])('are refused with their setting where the file cannot be used: %j', (names, message) => {
    const files = Object.fromEntries(Object.entries(names).map(([name, file]) => [name, at(file as string)]))
    expect(() => redisTarget(parseRedisUrl('rediss://h'), files)).toThrow(
      expect.objectContaining({ reason: 'setting-invalid', message: expect.stringMatching(message) }),
    )
  })
})

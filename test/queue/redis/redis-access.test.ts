import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { redisTarget } from '../../../src/queue/redis/redis-access.js'
import { parseRedisUrl } from '../../../src/queue/redis/redis-url.js'
import { folderForAll } from '../../support/temporary-folder.js'

describe('what opens Redis', () => {
  const folder = folderForAll()
  beforeAll(async () => {
    for (const name of ['ca', 'cert', 'key']) await fs.writeFile(at(name), `-----BEGIN ${name}-----\n`)
    await fs.writeFile(at('der'), Buffer.from([0x30, 0x82]))
  })
  const at = (name: string) => path.join(folder, name)

  it('is the password of the settings before that of the URL', async () => {
    const address = parseRedisUrl('redis://me:from-url@h')
    expect(await redisTarget(address, {})).toMatchObject({ username: 'me', password: 'from-url', tlsOptions: null })
    expect(await redisTarget(address, { password: 'setting', sentinelPassword: 's' })).toMatchObject({
      password: 'setting',
      sentinelPassword: 's',
    })
  })

  it('is what the files hold, with TLS only', async () => {
    const files = { caFile: at('ca'), certFile: at('cert'), keyFile: at('key') }
    expect((await redisTarget(parseRedisUrl('rediss://h'), files)).tlsOptions).toEqual({
      ca: '-----BEGIN ca-----\n',
      cert: '-----BEGIN cert-----\n',
      key: '-----BEGIN key-----\n',
    })
    expect((await redisTarget(parseRedisUrl('rediss://h'), {})).tlsOptions).toEqual({})
    expect((await redisTarget(parseRedisUrl('redis://h'), files)).tlsOptions).toBeNull()
  })

  it.each([
    [{ caFile: 'none' }, /ATTESTD_QUEUE_TLS_CA cannot be read: .*ENOENT/],
    [{ certFile: 'none' }, /ATTESTD_QUEUE_TLS_CERT cannot be read/],
    [{ keyFile: 'der' }, /ATTESTD_QUEUE_TLS_KEY names .*der, which is not a PEM file/],
    [{ caFile: '.' }, /ATTESTD_QUEUE_TLS_CA cannot be read: .*EISDIR/],
  ])('is refused by its setting where the file cannot be used: %j', async (names, message) => {
    const files = Object.fromEntries(Object.entries(names).map(([name, file]) => [name, at(file as string)]))
    await expect(redisTarget(parseRedisUrl('rediss://h'), files)).rejects.toMatchObject({
      reason: 'setting-invalid',
      message: expect.stringMatching(message),
    })
  })
})

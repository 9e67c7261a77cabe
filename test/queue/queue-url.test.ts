import { describe, expect, it } from 'vitest'
import { openQueueEngine } from '../../src/queue/engine.js'
import { parseQueueUrl } from '../../src/queue/queue-url.js'
import { keyPrefix } from '../../src/queue/redis/redis-url.js'
import { engineOptions } from './queue-support.js'

describe('queue URL', () => {
  it.each([
    ['embedded:', '/data/queue'],
    ['embedded://', '/data/queue'],
    ['embedded:/some/dir', '/some/dir'],
    ['embedded:///some/dir', '/some/dir'],
    ['embedded:q2', '/data/q2'],
  ])('%s lives in %s', (url, dir) => {
    expect(parseQueueUrl(url, '/data')).toEqual({ kind: 'embedded', dir })
  })

  const node = (host: string, port: number) => ({ host, port })
  it.each([
    ['redis://h', { shape: 'single', tls: false, nodes: [node('h', 6379)], db: 0, shown: 'redis://h' }],
    ['redis://[::1]:7/3', { shape: 'single', nodes: [node('::1', 7)], db: 3, shown: 'redis://[::1]:7/3' }],
    ['rediss://me:pa%3Ass@h:1/0', { tls: true, username: 'me', password: 'pa:ss', shown: 'rediss://h:1/0' }],
    ['redis://:p@ss@h', { username: undefined, password: 'p@ss', nodes: [node('h', 6379)], shown: 'redis://h' }],
    ['redis://me@h', { username: 'me', password: undefined }],
    [
      'rediss+sentinel://:pw@a:1,b/main.one/2',
      {
        shape: 'sentinel',
        tls: true,
        nodes: [node('a', 1), node('b', 26_379)],
        primary: 'main.one',
        db: 2,
        password: 'pw',
      },
    ],
    ['redis+sentinel://:pw@a,b:2/main', { primary: 'main', db: 0, shown: 'redis+sentinel://a,b:2/main' }],
    [
      'redis+cluster://:pw@a,b:2',
      { shape: 'cluster', nodes: [node('a', 6379), node('b', 2)], shown: 'redis+cluster://a,b:2' },
    ],
  ])('%s is Redis', (url, address) => {
    expect(parseQueueUrl(url, '/data')).toMatchObject({ kind: 'redis', address })
  })

  it('puts the keys of a cluster into one slot', () => {
    expect(keyPrefix({ shape: 'cluster' }, 'attestd')).toBe('{attestd}')
    expect(keyPrefix({ shape: 'sentinel' }, 'attestd')).toBe('attestd')
  })

  it.each([
    '',
    'postgres://:pw@h/db',
    'redis://',
    'redis://:pw@h/name',
    'embedded://host/dir',
    'redis',
    'http://h:pw@x',
    'redis://:pw@a,b',
    'redis://:pw@h:99999',
    'redis://:pw@h/0?family=6',
    'redis://:pw%@h',
    'redis+sentinel://:pw@h',
    'redis+cluster://:pw@h/1',
  ])('refuses %j without repeating it', async (url) => {
    const failure = await openQueueEngine(engineOptions(url, '/data')).catch((error: unknown) => error)
    expect(failure).toMatchObject({ reason: 'setting-invalid' })
    expect((failure as Error).message).not.toMatch(/pw/)
  })
})

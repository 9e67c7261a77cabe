import { describe, expect, it } from 'vitest'
import { openQueueEngine } from '../../src/queue/engine.js'
import { parseQueueUrl, redactUrl } from '../../src/queue/queue-url.js'
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

  it.each([
    ['redis://h', 'redis://h'],
    ['redis://h:6379/3', 'redis://h:6379/3'],
    ['rediss://user:pa%3Ass@h:1/0?family=6', 'rediss://h:1/0'],
  ])('%s is Redis, shown as %s', (url, shown) => {
    expect(parseQueueUrl(url, '/data')).toEqual({ kind: 'redis', url, shown })
  })

  it.each([
    '',
    'postgres://:pw@h/db',
    'redis://',
    'redis://:pw@h/name',
    'embedded://host/dir',
    'redis',
    'http://h:pw@x',
  ])('refuses %j without repeating it', async (url) => {
    const failure = await openQueueEngine(engineOptions(url, '/data')).catch((error: unknown) => error)
    expect(failure).toMatchObject({ reason: 'setting-invalid' })
    expect((failure as Error).message).not.toMatch(/pw/)
  })

  it('shows nothing of what it cannot read', () => {
    expect(redactUrl('redis://:pw@[')).not.toMatch(/pw/)
    expect(redactUrl('mongodb://u:pw@h')).not.toMatch(/pw/)
  })
})

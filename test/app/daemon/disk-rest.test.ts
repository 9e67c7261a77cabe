import { describe, expect, it } from 'vitest'
import { DiskRest } from '../../../src/app/daemon/disk-rest.js'
import { AttestdError } from '../../../src/core/errors.js'
import { silentLog } from '../../../src/core/log.js'
import { onDisk } from '../../../src/media/cache/spool.js'
import type { JobRun } from '../../../src/queue/queues.js'
import { ManualClock } from '../../support/manual-clock.js'

const MIB = 1024 ** 2
const REST_MS = 30_000

/** What Node throws where the disk answers so. */
const diskError = (code: string) => Object.assign(new Error(`${code}: refused, open`), { code })
const cacheFailure = (code: string) => onDisk(() => Promise.reject(diskError(code)))

/** A disk that a test breaks, and workers that are told to rest. */
function newRest() {
  const clock = new ManualClock()
  const disk = { free: (900 * MIB) as number | null, broken: null as string | null, tries: 0 }
  const seen: string[] = []
  const workers = { rest: () => void seen.push('rest'), goOn: async () => void seen.push('go on') }
  const rest = new DiskRest({
    tryWriting: async () => {
      disk.tries += 1
      if (disk.broken) throw diskError(disk.broken)
    },
    free: async () => {
      if (disk.free === null) throw diskError('EIO')
      return disk.free
    },
    workers: () => workers,
    clock,
    log: silentLog,
  })
  const fails = (work: () => Promise<never>) =>
    rest
      .watched(work)({} as JobRun<unknown>)
      .then(
        () => expect.unreachable(),
        (error: unknown) => error,
      )
  return { clock, disk, fails, rest, seen }
}

describe('a disk that refuses writes', () => {
  it.each([
    ['EROFS', 'data-dir-unusable'],
    ['EIO', 'data-dir-unusable'],
    ['ENOSPC', 'disk-full'],
    ['EDQUOT', 'disk-full'],
    ['EACCES', 'data-dir-unusable'],
    ['ENOTDIR', 'data-dir-unusable'],
  ])('%s pauses the workers by name before the job ends', async (code, reason) => {
    const { disk, fails, rest, seen } = newRest()
    disk.broken = code
    expect(await fails(() => cacheFailure(code))).toMatchObject({ reason: 'media-cache-failed' })
    expect(seen).toEqual(['rest'])
    expect(rest.refusal).toMatchObject({ reason, message: expect.stringContaining(`(${code})`) })
  })

  it('is tested every 30 s, and the workers resume once a write succeeds', async () => {
    const { clock, disk, fails, rest, seen } = newRest()
    disk.broken = 'EROFS'
    await Promise.all([1, 2, 3].map(() => fails(() => cacheFailure('EROFS'))))
    await clock.advance(2 * REST_MS)
    expect([seen, disk.tries]).toEqual([['rest'], 2])
    disk.broken = null
    await clock.advance(REST_MS - 1)
    expect(rest.refusal).not.toBeNull()
    await clock.advance(1)
    expect([seen, rest.refusal]).toEqual([['rest', 'go on'], null])
    await fails(() => cacheFailure('EIO'))
    expect(seen.at(-1)).toBe('rest')
  })

  it('is not tested after a stop', async () => {
    const { clock, disk, fails, rest } = newRest()
    await fails(() => cacheFailure('EIO'))
    rest.stop()
    await clock.advance(REST_MS)
    expect(disk.tries).toBe(0)
  })
})

describe('workers are not paused by', () => {
  it.each<[string, () => Promise<never>]>([
    ['a file that was larger than the room, which is free again', () => cacheFailure('ENOSPC')],
    ['a single file of another owner', () => cacheFailure('EACCES')],
    ['a name that is too long', () => cacheFailure('ENAMETOOLONG')],
    ['too many open files', () => cacheFailure('EMFILE')],
    ['media that vanished from the cache', () => Promise.reject(new AttestdError('media-cache-failed'))],
    [
      'a gateway whose words name a disk',
      () => Promise.reject(new AttestdError('media-unreachable', 'ENOSPC EROFS EIO')),
    ],
    ['an error of another origin', () => Promise.reject(diskError('EROFS'))],
  ])('%s', async (_, work) => {
    const { fails, rest, seen } = newRest()
    await fails(work)
    expect([seen, rest.refusal]).toEqual([[], null])
  })

  it.each([31 * MIB, null])(
    'a job, but by a disk with hardly any room, or one that cannot be read: %s',
    async (free) => {
      const { disk, fails, seen } = newRest()
      disk.free = free
      expect(await fails(() => cacheFailure('ENOSPC'))).toMatchObject({ reason: 'media-cache-failed' })
      expect(seen).toEqual(['rest'])
    },
  )
})

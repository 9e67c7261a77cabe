import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { BEAT_MS, DirectoryLock, type InUse } from '../../../src/core/disk/directory-lock.js'
import { isAlive, ownIdentity, type ProcessIdentity } from '../../../src/core/disk/process-identity.js'
import { AttestdError } from '../../../src/core/errors.js'
import { ManualClock, settle } from '../../support/manual-clock.js'
import { folderForAll } from '../../support/temporary-folder.js'

const inUse: InUse = (who) => new AttestdError('queue-in-use', `taken by ${who}`)

const root = folderForAll()
let own: ProcessIdentity
let deadPid: number
let count = 0

beforeAll(async () => {
  own = await ownIdentity()
  deadPid = spawnSync(process.execPath, ['-e', '']).pid
})

async function directory(lock?: unknown): Promise<string> {
  const dir = path.join(root, `dir-${count++}`)
  await mkdir(dir)
  if (lock !== undefined)
    await writeFile(path.join(dir, 'lock.7'), typeof lock === 'string' ? lock : JSON.stringify(lock))
  return dir
}

const take = (dir: string, clock = new ManualClock()) => DirectoryLock.take(dir, inUse, clock)

/** @param beat called before each look for a sign of life */
async function outcome(dir: string, beat = async () => {}): Promise<string> {
  const clock = new ManualClock()
  const taken = { ended: false }
  const taking = take(dir, clock).then(
    async (lock) => {
      await lock.release()
      return 'taken'
    },
    (error: { reason: string }) => error.reason,
  )
  void taking.finally(() => {
    taken.ended = true
  })
  while (!taken.ended) {
    if (clock.sleeping > 0) await beat()
    await clock.advance(BEAT_MS)
  }
  return taking
}

describe('directory lock', () => {
  it.each([
    ['no lock', () => undefined, 'taken'],
    ['a live holder', () => ({ ...own, token: 't' }), 'queue-in-use'],
    ['a silent pid on a system that does not tell starts', () => ({ ...own, started: '', token: 't' }), 'taken'],
    ['a dead holder', () => ({ ...own, pid: deadPid, token: 't' }), 'taken'],
    ['a pid that another process has by now', () => ({ ...own, started: '1', token: 't' }), 'taken'],
    ['a silent holder of another host', () => ({ ...own, scope: 'other host', token: 't' }), 'taken'],
    ['an empty file', () => '', 'taken'],
    ['half a file', () => '{"pid": 12', 'taken'],
    ['a file of another shape', () => ({ pid: -1 }), 'taken'],
    ['a released lock of an older release', () => ({ released: true }), 'taken'],
  ])('%s', async (_, lock, expected) => {
    const dir = await directory(lock())
    expect(await outcome(dir)).toBe(expected)
    expect(await readdir(dir)).toHaveLength(1)
  })

  it('leaves an emptied file behind, and names an unreadable lock', async () => {
    const dir = await directory()
    await (await take(dir)).release()
    expect(await readFile(path.join(dir, 'lock.1'), 'utf8')).toBe('')
    await mkdir(path.join(dir, 'lock.2'))
    await expect(take(dir)).rejects.toMatchObject({
      reason: 'data-dir-unusable',
    })
  })

  it.each([
    ['of another host', { scope: 'other host' }],
    ['on a system that does not tell starts', { started: '' }],
  ])('respects a holder %s that is alive', async (_, difference) => {
    const dir = await directory({ ...own, ...difference, token: 't' })
    let beat = 0
    expect(await outcome(dir, () => utimes(path.join(dir, 'lock.7'), 1, ++beat))).toBe('queue-in-use')
  })

  it.each(Array.from({ length: 10 }, (_, n) => n))(
    'lets exactly one of many take over a stale lock, round %i',
    async () => {
      const dir = await directory({ ...own, pid: deadPid, token: 't' })
      const takes = await Promise.allSettled(Array.from({ length: 30 }, () => take(dir)))
      const won = takes.filter((take) => take.status === 'fulfilled')
      expect(won).toHaveLength(1)
      for (const take of takes)
        if (take.status === 'rejected') expect(take.reason).toMatchObject({ reason: 'queue-in-use' })
      expect(await readdir(dir)).toHaveLength(1)
      await won[0]?.value.release()
      expect(await outcome(dir)).toBe('taken')
    },
  )

  it('renews itself, notices a takeover, and then leaves the new lock alone', async () => {
    const dir = await directory()
    const clock = new ManualClock()
    const lock = await take(dir, clock)
    const file = path.join(dir, 'lock.2')
    const thief = JSON.stringify({ ...own, token: 'thief' })
    await writeFile(file, thief)
    await clock.advance(BEAT_MS)
    expect((await lock.lost).message).toMatch(/lock\.1 was taken away/)
    await lock.release()
    expect(await readFile(file, 'utf8')).toBe(thief)
  })

  it('does not count its own release as a loss', async () => {
    const clock = new ManualClock()
    const lock = await take(await directory(), clock)
    await lock.release()
    expect(clock.sleeping).toBe(0)
    expect(await Promise.race([lock.lost, settle()])).toBeUndefined()
  })

  it.runIf(process.platform === 'linux')('takes a zombie for dead', async () => {
    // The node that takes the shell's place never collects the shell's child. Not `sleep`: a bare machine may have none.
    const idle = `"${process.execPath}" -e "setInterval(() => {}, 60000)"`
    const shell = spawn('sh', ['-c', `${idle} & echo $!; exec ${idle}`], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void shell.kill('SIGKILL'))
    const [line] = (await once(shell.stdout, 'data')) as [Buffer]
    const pid = Number(line.toString())
    const stat = (id: number | undefined) => readFile(`/proc/${id}/stat`, 'utf8')
    // The shell itself would collect it.
    while ((await stat(shell.pid)).includes('(sh)')) await new Promise(setImmediate)
    process.kill(pid, 'SIGKILL')
    while (!(await stat(pid)).includes(') Z ')) await new Promise(setImmediate)
    const started = (await stat(pid)).split(') ')[1]?.split(' ')[19] ?? ''
    expect(await isAlive({ ...own, pid, started })).toBe(false)
  })
})

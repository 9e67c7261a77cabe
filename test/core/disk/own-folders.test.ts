import { spawnSync } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeTemporaryFolder, privateFolder, removeOwnFolder } from '../../../src/core/disk/own-folders.js'
import { packagePath } from '../../../src/core/files.js'
import { folderForEach } from '../../support/temporary-folder.js'

const shared = folderForEach()

const uid = process.getuid?.()
const usual = () => path.join(shared, `places-${uid}`)

it('a folder below a shared one is open to this user only, and found again', async () => {
  const folder = await privateFolder(shared, 'places-')
  expect(folder).toBe(usual())
  expect((await fs.stat(folder)).mode & 0o777).toBe(0o700)
  expect(await privateFolder(shared, 'places-')).toBe(folder)
})

it.for<[string, (victim: string) => Promise<void>]>([
  ['a link to a folder', (victim) => fs.symlink(victim, usual())],
  ['a file', () => fs.writeFile(usual(), '')],
  ['a folder that others can write to', () => fs.mkdir(usual()).then(() => fs.chmod(usual(), 0o777))],
  ['a folder of another user', () => fs.mkdir(usual(), 0o700).then(() => fs.chown(usual(), 65_534, 65_534))],
])('%s in its place is not used', async ([, put], { skip }) => {
  const victim = path.join(shared, 'victim')
  await fs.mkdir(victim, 0o700)
  // Only root can give a folder away, in some containers to nobody.
  await put(victim).catch((error: unknown) => skip(String(error)))
  const folder = await privateFolder(shared, 'places-')
  expect(path.dirname(folder)).toBe(shared)
  expect([usual(), victim]).not.toContain(folder)
  expect(await fs.stat(folder)).toMatchObject({ uid })
  expect((await fs.stat(folder)).mode & 0o777).toBe(0o700)
})

const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c']
const canMount = spawnSync('unshare', [...inside, 'mount -t tmpfs none /tmp']).status === 0

it.skipIf(!canMount)('one of an earlier start on a disk that became read-only is not taken', async () => {
  const script = `import('${packagePath('dist/core/disk/own-folders.js')}')
    .then(({ privateFolder }) => privateFolder('${shared}', 'places-')).then(console.log, ({ code }) => console.log(code))`
  const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
  const run = (command: string) =>
    spawnSync('unshare', [...inside, command, shared, process.execPath, '-e', script], {
      encoding: 'utf8',
    }).stdout.trim()
  expect(path.dirname(run('exec "$@"'))).toBe(shared)
  expect(run(mount)).toBe('EROFS')
})

describe('a folder for temporary files', () => {
  beforeEach(() => vi.stubEnv('TMPDIR', shared))
  afterEach(() => vi.unstubAllEnvs())

  it('replaces those of killed processes, not those in use', async () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    const [mine, others] = [await makeTemporaryFolder('places-'), await makeTemporaryFolder('places-')]
    expect(path.dirname(mine)).toBe(usual())
    const left = path.join(usual(), path.basename(mine).replace(`_${process.pid}_`, `_${pid}_`))
    await fs.mkdir(path.join(left, 'work'), { recursive: true })
    const last = await makeTemporaryFolder('places-')
    expect((await fs.readdir(usual())).sort()).toEqual([mine, others, last].map((one) => path.basename(one)).sort())
    await Promise.all([mine, others, last].map(removeOwnFolder))
    expect(await fs.readdir(usual())).toEqual([])
  })

  it('is a separate one for each caller at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => makeTemporaryFolder('places-')))
    expect(await fs.readdir(usual())).toHaveLength(20)
    expect(new Set(all).size).toBe(20)
  })
})

import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  entryFile,
  modeOpenToOthers,
  packagePath,
  readAt,
  readFileIfPresent,
  removeUnfinished,
  sha256OfFile,
  writeFileAtomic,
  writeNewFile,
} from '../../src/core/files.js'
import { folderForAll } from '../support/temporary-folder.js'

const folder = folderForAll()

async function write(name: string, data: string | Uint8Array): Promise<string> {
  const file = path.join(folder, name)
  await fs.writeFile(file, data)
  return file
}

describe('a file written as a whole', () => {
  it.each([
    [{}, 0o600],
    [{ mode: 0o644 }, 0o644],
    [{ flush: false }, 0o600],
  ])('with %j has mode %o, whatever the previous one had', async (options, expected) => {
    const file = await write('replaced', 'old')
    await fs.chmod(file, 0o666)
    await writeFileAtomic(file, 'new', options)
    expect(((await fs.stat(file)).mode & 0o777).toString(8)).toBe(expected.toString(8))
    expect(await fs.readFile(file, 'utf8')).toBe('new')
  })

  it('replaces a link, and leaves its target alone', async () => {
    const target = await write('target', 'untouched')
    const link = path.join(folder, 'link')
    await fs.symlink(target, link)
    await writeFileAtomic(link, 'new')
    expect(await fs.readFile(target, 'utf8')).toBe('untouched')
    expect(await fs.readFile(link, 'utf8')).toBe('new')
  })

  it('is one of those written at the same time, and nothing temporary stays', async () => {
    const place = path.join(folder, 'raced')
    await fs.mkdir(place)
    const file = path.join(place, 'x')
    expect(await readFileIfPresent(file)).toBeNull()
    await Promise.all(['a', 'b', 'c'].map((letter) => writeFileAtomic(file, letter.repeat(1000))))
    expect((await readFileIfPresent(file))?.toString()).toMatch(/^(a+|b+|c+)$/)
    expect(await fs.readdir(place)).toEqual(['x'])
  })

  it('that cannot be placed leaves the old one, and nothing temporary', async () => {
    const place = path.join(folder, 'a-folder')
    await fs.mkdir(path.join(place, 'inside'), { recursive: true })
    await expect(writeFileAtomic(place, 'x')).rejects.toThrow()
    expect((await fs.readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(await fs.readdir(place)).toEqual(['inside'])
  })
})

describe('a new file', () => {
  it('is for its owner, is never overwritten, and leaves nothing temporary', async () => {
    const place = path.join(folder, 'new-files')
    await fs.mkdir(place)
    const file = path.join(place, 'new')
    await writeNewFile(file, 'first')
    expect((await fs.stat(file)).mode & 0o777).toBe(0o600)
    await expect(writeNewFile(file, 'second')).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await fs.readFile(file, 'utf8')).toBe('first')
    expect(await fs.readdir(place)).toEqual(['new'])
  })

  it('of a killed writer is removed once it is old, and no other file is', async () => {
    const place = path.join(folder, 'unfinished')
    await fs.mkdir(place)
    const names = ['a.json', 'a.json.0123456789ab.tmp', 'b.0123456789ab.tmp', 'own.tmp']
    for (const name of names) await fs.writeFile(path.join(place, name), '')
    for (const name of names.filter((one) => !one.startsWith('b'))) await fs.utimes(path.join(place, name), 1000, 1000)
    await removeUnfinished(place, 2_000_000)
    expect((await fs.readdir(place)).toSorted()).toEqual(['a.json', 'b.0123456789ab.tmp', 'own.tmp'])
    await removeUnfinished(path.join(folder, 'none'), 2_000_000)
  })
})

describe('reading', () => {
  it('something other than a file is an error, not an absent file', async () => {
    await expect(readFileIfPresent(folder)).rejects.toMatchObject({ code: 'EISDIR' })
    const file = await write('plain', 'x')
    await expect(readFileIfPresent(path.join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it.each([
    ['from the start', 0, 3, '012'],
    ['from within', 4, 3, '456'],
    ['over the end', 8, 5, '89'],
    ['behind the end', 10, 5, ''],
    ['nothing', 2, 0, ''],
  ])('a part: %s', async (_, offset, length, text) => {
    const file = await write('digits', '0123456789')
    expect((await readAt(file, offset, length)).toString()).toBe(text)
  })

  it('a part of many files leaves none of them open', async () => {
    const file = await write('again', 'x')
    const open = async () => (await fs.readdir('/proc/self/fd').catch(() => [])).length
    const before = await open()
    for (let time = 0; time < 50; time++) await readAt(file, 0, 1)
    expect(await open()).toBeLessThan(before + 10)
  })

  it('the digest of a file of several chunks, and of an empty one', async () => {
    const bytes = Buffer.alloc(200_000, 'attestd')
    expect(await sha256OfFile(await write('large', bytes))).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(await sha256OfFile(await write('empty', ''))).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
    await expect(sha256OfFile(path.join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('a mode', () => {
  it.each([
    [0o100600, null],
    [0o100400, null],
    [0o100700, null],
    [0o100640, '0640'],
    [0o100604, '0604'],
    [0o100601, '0601'],
    [0o100777, '0777'],
  ])('%o is open to others: %s', (mode, text) => {
    expect(modeOpenToOthers({ mode, uid: 1234, gid: 1234 })).toBe(text)
  })

  it('of a file that root lets a group of this process read, as Kubernetes mounts secrets, is not open', () => {
    const gid = process.getegid!()
    expect(modeOpenToOthers({ mode: 0o100440, uid: 0, gid })).toBeNull()
    expect(modeOpenToOthers({ mode: 0o100440, uid: 0, gid: 54_321 })).toBe('0440')
    expect(modeOpenToOthers({ mode: 0o100440, uid: 1234, gid })).toBe('0440')
    expect(modeOpenToOthers({ mode: 0o100444, uid: 0, gid })).toBe('0444')
  })
})

it('threads and children start from compiled files, also when the caller is a source file', () => {
  const source = new URL('../../src/queue/a.ts', import.meta.url).href
  const built = new URL('../../dist/queue/a.js', import.meta.url).href
  expect(entryFile(source, 'thread')).toBe(entryFile(built, 'thread'))
  expect(entryFile(source, 'thread')).toMatch(/dist\/queue\/thread\.js$/)
})

it('paths of the package are relative to its package.json', async () => {
  expect(JSON.parse(await fs.readFile(packagePath('package.json'), 'utf8')).name).toBe('attestd')
  expect(packagePath('models', 'a')).toBe(path.join(packagePath(), 'models', 'a'))
})

import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  linkBelow,
  openRegularFile,
  readRegularFile,
  readTextNow,
  staysBelow,
} from '../../../src/core/disk/plain-files.js'
import { readAt, sha256OfFile } from '../../../src/core/files.js'
import { folderForEach, folderForTest } from '../../support/temporary-folder.js'

it('reads regular files only: waits for no pipe, opens no device, folder or socket, and a link only where allowed', async () => {
  const folder = await folderForTest()
  const at = (name: string) => path.join(folder, name)
  execFileSync('/usr/bin/mkfifo', [at('pipe')])
  await fs.symlink(at('pipe'), at('link-to-pipe'))
  await fs.writeFile(at('file'), 'bytes')
  await fs.symlink(at('file'), at('link'))
  const socket = net.createServer().listen(at('socket'))
  onTestFinished(() => void socket.close())

  for (const file of [at('pipe'), at('link-to-pipe'), folder, '/dev/zero']) {
    for (const read of [readRegularFile, sha256OfFile, (each: string) => readAt(each, 0, 1)])
      await expect(read(file)).rejects.toThrow('not a file')
  }
  await expect(readRegularFile(at('socket'))).rejects.toThrow()
  expect(String(await readRegularFile(at('link')))).toBe('bytes')
  await expect(openRegularFile(at('link'), fs.constants.O_NOFOLLOW)).rejects.toMatchObject({ code: 'ELOOP' })
})

describe('a text that is read at once', () => {
  const pipeIn = async () => {
    const pipe = path.join(await folderForTest(), 'pipe')
    execFileSync('/usr/bin/mkfifo', [pipe])
    return pipe
  }

  it('may come from a pipe, also in pieces', async () => {
    const pipe = await pipeIn()
    spawn('/bin/sh', ['-c', '{ printf "a "; printf secret; } >"$0"', pipe])
    expect(readTextNow(pipe, { absentMs: 60_000 })).toBe('a secret')
  })

  it('does not wait forever for a pipe', async () => {
    const pipe = await pipeIn()
    expect(() => readTextNow(pipe, { absentMs: 20 })).toThrow('a pipe into which nobody wrote within 0.02 s')
    const writer = await fs.open(pipe, fs.constants.O_RDWR)
    onTestFinished(() => writer.close())
    expect(() => readTextNow(pipe, { silentMs: 20 })).toThrow('was not written and closed within 0.02 s')
  })

  it('must not be endless', () => {
    expect(() => readTextNow('/dev/zero')).toThrow('more than 1048576 bytes')
  })
})

const folder = folderForEach()
beforeEach(async () => {
  // The folder of temporary files may be a link itself, as on macOS.
  await fs.mkdir(path.join(folder, 'in', 'deep', 'er'), { recursive: true })
  await fs.mkdir(path.join(folder, 'in-too'))
  await fs.writeFile(path.join(folder, 'in', 'deep', 'file'), 'x')
  await fs.writeFile(path.join(folder, 'secret'), 'x')
})

const at = (...parts: string[]) => path.join(folder, ...parts)

describe('the links below a folder', () => {
  it('are none where there are files and folders only', async () => {
    expect(await linkBelow(at('in'))).toBeNull()
  })

  it.each([
    ['to a file', 'in/link', 'secret'],
    ['to a folder', 'in/link', 'in-too'],
    ['far down', 'in/deep/er/link', 'secret'],
    ['to nowhere', 'in/deep/link', 'absent'],
    ['to where it lies itself', 'in/deep/link', 'in'],
  ])('are found: %s', async (_, link, target) => {
    await fs.symlink(at(target), at(link))
    expect(await linkBelow(at('in'))).toBe(at(link))
  })

  it('do not count the folder itself', async () => {
    await fs.symlink(at('in'), at('same'))
    expect(await linkBelow(at('same'))).toBeNull()
  })

  it('of a missing folder, or of a file, are none', async () => {
    expect(await linkBelow(at('absent'))).toBeNull()
    expect(await linkBelow(at('secret'))).toBeNull()
  })
})

describe('a file', () => {
  it.each([
    ['in the folder stays', 'in/deep/file', true],
    ['beside the folder does not', 'secret', false],
    ['in a folder whose name begins alike does not', 'in-too/file', false],
    ['that is not there leads nowhere', 'in/absent', true],
    ['that is the folder itself does not lie below it', 'in', false],
  ])('%s', async (_, name, expected) => {
    await fs.writeFile(at('in-too', 'file'), 'x')
    expect(await staysBelow(at('in'), at(name))).toBe(expected)
  })

  it('behind a linked folder is outside', async () => {
    await fs.writeFile(at('in-too', 'file'), 'x')
    await fs.symlink(at('in-too'), at('in', 'way'))
    expect(await staysBelow(at('in'), at('in', 'way', 'file'))).toBe(false)
    await fs.symlink(at('in', 'deep'), at('in', 'round'))
    expect(await staysBelow(at('in'), at('in', 'round', 'file'))).toBe(true)
  })

  it('is inside where the folder itself is reached by a link', async () => {
    await fs.symlink(at('in'), at('same'))
    expect(await staysBelow(at('same'), at('in', 'deep', 'file'))).toBe(true)
    expect(await staysBelow(at('same'), at('same', 'deep', 'file'))).toBe(true)
  })
})

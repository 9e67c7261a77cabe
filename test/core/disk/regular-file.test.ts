import { execFileSync } from 'node:child_process'
import fs from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openRegularFile, readRegularFile } from '../../../src/core/disk/regular-file.js'
import { readAt, sha256OfFile } from '../../../src/core/files.js'

it('only files are read: no pipe is waited for, no device, folder or socket opened, a link only where it may be', async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-regular-'))
  onTestFinished(() => fs.rm(folder, { recursive: true }))
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

import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { notifyServiceManager } from '../../src/app/service-manager.js'
import type { Log } from '../../src/core/log.js'
import { silentLog } from '../../src/core/log.js'
import { folderForTest } from '../support/temporary-folder.js'

async function bench() {
  const folder = await folderForTest()
  const warned: unknown[] = []
  const log: Log = { ...silentLog, warn: (facts) => warned.push(facts) }
  const seen = path.join(folder, 'seen')
  const script = (text: string) =>
    fs.writeFile(path.join(folder, 'systemd-notify'), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const env = { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/systemd/notify', SEEN: seen }
  return { env, log, script, warned, read: () => fs.readFile(seen, 'utf8').catch(() => '') }
}

it('notifies by the program of systemd, which gets the socket', async () => {
  const { env, log, read, script, warned } = await bench()
  await script('echo "$NOTIFY_SOCKET $*" >>"$SEEN"')
  await notifyServiceManager('READY=1', env, log)
  await notifyServiceManager('STOPPING=1', env, log)
  expect(await read()).toBe('/run/systemd/notify READY=1\n/run/systemd/notify STOPPING=1\n')
  expect(warned).toEqual([])
})

it('does nothing where no service manager asked for it', async () => {
  const { env, log, read, script } = await bench()
  await script('echo "$*" >>"$SEEN"')
  await notifyServiceManager('READY=1', { ...env, NOTIFY_SOCKET: undefined }, log)
  expect(await read()).toBe('')
})

it('logs a program that fails or is missing, and goes on', async () => {
  const { env, log, script, warned } = await bench()
  await notifyServiceManager('READY=1', { ...env, PATH: '/nowhere' }, log)
  await script('exit 3')
  await notifyServiceManager('READY=1', env, log)
  expect(warned).toEqual([
    { state: 'READY=1', detail: expect.stringContaining('ENOENT') },
    { state: 'READY=1', detail: 'systemd-notify ended with 3' },
  ])
})

import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { notifyServiceManager } from '../../src/app/service-manager.js'
import { KeptLog } from '../support/kept-log.js'
import { folderForTest } from '../support/temporary-folder.js'

async function bench() {
  const folder = await folderForTest()
  const log = new KeptLog()
  const seen = path.join(folder, 'seen')
  const script = (text: string) =>
    fs.writeFile(path.join(folder, 'systemd-notify'), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const env = { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/systemd/notify', SEEN: seen }
  return { env, log, script, read: () => fs.readFile(seen, 'utf8').catch(() => '') }
}

it('notifies through systemd-notify, which gets the socket', async () => {
  const { env, log, read, script } = await bench()
  await script('echo "$NOTIFY_SOCKET $*" >>"$SEEN"')
  await notifyServiceManager('READY=1', env, log)
  await notifyServiceManager('STOPPING=1', env, log)
  expect(await read()).toBe('/run/systemd/notify READY=1\n/run/systemd/notify STOPPING=1\n')
  expect(log.lines).toEqual([])
})

it('does nothing without a service manager', async () => {
  const { env, log, read, script } = await bench()
  await script('echo "$*" >>"$SEEN"')
  await notifyServiceManager('READY=1', { ...env, NOTIFY_SOCKET: undefined }, log)
  expect(await read()).toBe('')
})

it('logs a failed or missing program, and continues', async () => {
  const { env, log, script } = await bench()
  await notifyServiceManager('READY=1', { ...env, PATH: '/nowhere' }, log)
  await script('exit 3')
  await notifyServiceManager('READY=1', env, log)
  expect(log.lines).toMatchObject([
    { level: 'warn', state: 'READY=1', detail: /ENOENT/ },
    { level: 'warn', state: 'READY=1', detail: 'systemd-notify ended with 3' },
  ])
})

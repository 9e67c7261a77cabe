import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startDaemonProcess } from '../../../src/app/demo/daemon-process.js'
import { systemClock } from '../../../src/core/clock.js'
import { folderForTest } from '../../support/temporary-folder.js'

it('the daemon of the demo reads no settings file of the working directory, which may name a production queue', async () => {
  const folder = await folderForTest()
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  const [here, own] = [path.join(folder, 'here'), path.join(folder, 'own')]
  await Promise.all([fs.mkdir(here), fs.mkdir(own)])
  await fs.writeFile(path.join(here, 'attestd.yaml'), 'queue:\n  url: redis://real.example\n  lockMs: none\n')
  process.chdir(here)
  const logFile = path.join(own, 'daemon.log')
  const started = startDaemonProcess({
    env: {},
    dataDir: path.join(own, 'data'),
    logFile,
    clock: systemClock,
    startMs: 60_000,
  })
  // It has no service, which it states before it reads or opens anything else.
  await expect(started).rejects.toThrow('ended with 78')
  const log = await fs.readFile(logFile, 'utf8')
  expect(log).toContain('ATTESTD_SERVICE_URL  [setting-missing]')
  expect(log).not.toContain('attestd.yaml')
})

it('a daemon that cannot be started rejects, with nothing left unhandled', async () => {
  const folder = await folderForTest()
  const { execPath } = process
  onTestFinished(() => void Object.assign(process, { execPath }))
  process.execPath = path.join(folder, 'no-node')
  const options = { env: {}, dataDir: folder, logFile: path.join(folder, 'daemon.log'), clock: systemClock }
  await expect(startDaemonProcess({ ...options, startMs: 1 })).rejects.toThrow('ENOENT')
})

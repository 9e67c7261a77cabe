import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../src/config/settings.js'
import { EXIT } from '../../src/core/shutdown.js'
import { acceptedSettings } from './deployed-settings.js'
import { read } from './pages.js'

const unit = [...read('config/systemd/attestd.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [
  key!,
  value!,
])
const all = (key: string) => unit.filter(([name]) => name === key).map(([, value]) => value!)

describe('config/systemd/attestd.service', () => {
  it('has accepted settings, and its data in the state directory', () => {
    const environment = Object.fromEntries(all('Environment').map((line) => line.split(/=(.*)/s).slice(0, 2)))
    delete environment.NODE_ENV
    environment.ATTESTD_SERVICE_URL = 'https://verify.example'
    expect(acceptedSettings(environment).dataDir).toBe(`/var/lib/${all('StateDirectory')[0]}`)
  })

  it('loads each secret that it names as a credential', () => {
    const loaded = all('LoadCredential').map((line) => `%d/${line.split(':')[0]}`)
    const named = all('Environment')
      .filter((line) => line.includes('_FILE='))
      .map((line) => line.split('=')[1])
    expect(named).toEqual(loaded)
  })

  it('leaves no core dump with the keys', () => expect(all('LimitCORE')).toEqual(['0']))

  it('has time to drain, and is not restarted where a restart does not help', () => {
    expect(Number(all('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(Number(SETTINGS.drainMs.fallback) + 5000)
    expect(all('Restart')).toEqual(['on-failure'])
    expect(all('RestartPreventExitStatus')).toEqual([String(EXIT.config)])
    expect(all('ExecStart')[0]).toMatch(/^\/usr\/bin\/node \S+\/dist\/cli\/main\.js run /)
  })

  it('waits until the daemon notifies it, by a process of its own', () => {
    expect([all('Type'), all('NotifyAccess')]).toEqual([['notify'], ['all']])
  })

  it('reloads the detectors by the verb, without the credentials, which systemd 252 hides from it', () => {
    const [start] = all('ExecStart')
    const [main] = start!.split(' run ')
    const folder = `/var/lib/${all('StateDirectory')[0]}`
    expect(all('ExecReload')).toEqual([`/usr/bin/env -i ${main} models reload --data-dir ${folder}`])
  })

  it('allows what the cage of ffmpeg needs: limits, and no new privileges', () => {
    expect(all('SystemCallFilter').join()).not.toContain('@resources')
    expect(all('NoNewPrivileges')).toEqual(['true'])
    expect(all('MemoryDenyWriteExecute')).toEqual([])
  })

  it('allows what the cage of detector processes needs: namespaces, mounts, and an unmasked /proc', () => {
    expect(all('RestrictNamespaces')[0]?.split(' ').toSorted()).toEqual([
      'cgroup',
      'ipc',
      'mnt',
      'net',
      'pid',
      'user',
      'uts',
    ])
    expect(all('RestrictAddressFamilies')[0]).toContain('AF_NETLINK')
    expect(all('SystemCallFilter').at(-1)).toBe('@mount capset')
    for (const covering of ['ProtectKernelTunables', 'ProtectKernelLogs', 'ProtectHostname'])
      expect(all(covering)).toEqual([])
  })
})

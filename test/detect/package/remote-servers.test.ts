import { describe, expect, it } from 'vitest'
import type { DetectorPackage } from '../../../src/detect/package/package-loader.js'
import { checkTokenServers } from '../../../src/detect/package/remote-servers.js'
import { parsedTinyManifest } from '../../support/detector-package.js'
import { withReason } from '../../support/with-reason.js'

function packageAt(id: string, url: string | null): DetectorPackage {
  const runtime = { kind: 'remote', url, model: 'tiny', input: 'pixels', output: 'logit', timeoutMs: 100 }
  return { folder: `/${id}`, digest: id, manifest: parsedTinyManifest(id, url === null ? {} : { runtime }) }
}
const check = (token: string | null, ...urls: (string | null)[]) =>
  checkTokenServers(
    urls.map((url, nth) => packageAt(`p${nth}`, url)),
    token,
  )

describe('a token for a model server', () => {
  it.each([
    ['https', ['https://a.example']],
    ['this machine in clear', ['http://127.0.0.1:8000']],
    ['this machine by IPv6', ['http://[::1]:8000']],
    ['this machine by name', ['http://localhost:8000']],
    ['two models of one server', ['https://a.example/x', 'https://a.example/y']],
    ['local detectors beside it', [null, 'https://a.example', null]],
    ['no server at all', [null, null]],
  ])('is sent to %s', (_, urls) => {
    expect(() => check('token', ...urls)).not.toThrow()
  })

  it.each([
    ['in clear over a network', ['http://a.example'], /unencrypted to http:\/\/a\.example, which p0 names/],
    [
      'in clear, with another server before',
      ['https://a.example', 'http://10.0.0.1:8000'],
      /unencrypted to http:\/\/10\.0\.0\.1:8000, which p1/,
    ],
    [
      'to two hosts',
      ['https://a.example', 'https://b.example'],
      /several: https:\/\/a\.example \(p0\), https:\/\/b\.example \(p1\)/,
    ],
    ['to two ports of a host', ['https://a.example', 'https://a.example:8443'], /is for one server/],
  ])('is never sent %s', (_, urls, message) => {
    expect(() => check('token', ...urls)).toThrow(withReason('setting-invalid', message))
    expect(() => check(null, ...urls)).not.toThrow()
  })
})

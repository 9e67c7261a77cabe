import fs from 'node:fs/promises'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { writeTinyPackage } from '../support/detector-package.js'

/** A setting, a file or a service that is not as it must be, and the fix that the real command names. */

let folder: string
const taken = net.createServer()
let takenPort: number

beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-fix-'))
  await writeTinyPackage(path.join(folder, 'models'))
  await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening))
  takenPort = (taken.address() as AddressInfo).port
})
afterAll(async () => {
  taken.close()
  await fs.rm(folder, { recursive: true })
})

const env = (own: Readonly<Record<string, string>> = {}) => ({
  ATTESTD_DATA_DIR: path.join(folder, 'data'),
  ATTESTD_MODELS_DIR: path.join(folder, 'models'),
  ATTESTD_SERVICE_URL: 'http://127.0.0.1:9',
  ATTESTD_ACCESS_KEY: 'ak_att_a',
  ATTESTD_SIGNING_SECRET: 'secret',
  ATTESTD_HTTP_PORT: '0',
  ...own,
})

it('the port of the sandbox is taken: --port', async () => {
  const { code, err } = await attestdVerb(['sandbox', '--chain', 'memory', '--port', String(takenPort)], {})
  expect({ code, err }).toEqual({ code: 78, err: expect.stringContaining('Give --port a free port') })
})

it('the port of the daemon is taken, or a detector is unknown: said before a detector is loaded', async () => {
  const port = await attestdVerb(['run'], env({ ATTESTD_HTTP_PORT: String(takenPort) }))
  expect(port).toMatchObject({ code: 78, err: expect.stringContaining('ATTESTD_HTTP_PORT') })
  const detector = await attestdVerb(['run'], env({ ATTESTD_DETECTORS: 'no-such' }))
  expect(detector).toMatchObject({ code: 78, err: expect.stringMatching(/no-such[\s\S]*ATTESTD_DETECTORS/) })
  expect(port.out + detector.out).not.toContain('loading a detector')
})

it('no daemon runs: start one, or name its data directory', async () => {
  const { code, err } = await attestdVerb(['status'], env())
  expect({ code, err }).toEqual({ code: 75, err: expect.stringMatching(/daemon-not-running[\s\S]*attestd run/) })
})

it('the file is of another kind of media: --media-type', async () => {
  const { err } = await attestdVerb(['score', packagePath('samples', 'cafe-review.txt')], {})
  expect(err).toMatch(/media-type-mismatch[\s\S]*--media-type text/)
})

it('a website answers instead of the service: ATTESTD_SERVICE_URL', async () => {
  const site = http.createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'))
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const { out } = await attestdVerb(['doctor', '--json'], env({ ATTESTD_SERVICE_URL: url }))
  site.close()
  const { ok, checks } = JSON.parse(out)
  expect(ok).toBe(false)
  expect(checks).toContainEqual(
    expect.objectContaining({ check: 'service', fix: expect.stringMatching(/not this API.*ATTESTD_SERVICE_URL/) }),
  )
})

it('doctor fails a misspelled setting, with the name that was meant, and a secret that others can read', async () => {
  const file = path.join(folder, 'signing_secret')
  await fs.writeFile(file, 'secret', { mode: 0o644 })
  const { ATTESTD_SIGNING_SECRET: _, ...rest } = env({ ATTESTD_SIGNING_SECRET_FILE: file, ATTESTD_HTTP_PROT: '1' })
  const { code, out } = await attestdVerb(['doctor', '--json'], rest)
  expect(code).toBe(1)
  expect(JSON.parse(out).checks.slice(0, 2)).toMatchObject([
    { check: 'settings', outcome: 'failed', fix: 'Did you mean ATTESTD_HTTP_PORT?' },
    { check: 'secrets', outcome: 'failed', fix: `Run chmod 600 ${file}.` },
  ])
})

it('the help shows what a setting is without being set', async () => {
  expect((await attestdVerb(['run', '--help'], {})).out.replaceAll(/\s+/g, ' ')).toContain('(default: 8780)')
})

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { sendSigned } from '../support/sandbox-requests.js'
import { scoreWhatOpens } from '../support/score-what-opens.js'
import { picture, sandboxBench } from './sandbox-bench.js'

const submitterEnv = ({ submitterKey, url }: Sandbox) => ({
  ATTESTD_SERVICE_URL: url,
  ATTESTD_ACCESS_KEY: submitterKey.accessKey,
  ATTESTD_SIGNING_SECRET: submitterKey.signingSecret,
})

describe.concurrent('attestd register on a signed-key service', () => {
  it('uploads with the submitter key, registers, and follows until the score is there', async (context) => {
    const { sandbox } = await sandboxBench(context)
    const flags = ['--title', 'Coffee', '--context', 'a cup', '--turnaround', 'priority_5min', '--json']
    const verb = attestdVerb(['register', picture, ...flags], submitterEnv(sandbox))
    await scoreWhatOpens(sandbox)
    const { code, err, out } = await verb
    expect(err).toContain('• registered as ast_')
    expect(code).toBe(0)
    const contentHash = `0x${createHash('sha256')
      .update(await fs.readFile(picture))
      .digest('hex')}`
    expect(JSON.parse(out)).toMatchObject({
      asset: { contentHash, attestationUid: contentHash, attestation: null, mediaType: 'image', title: 'Coffee' },
      end: { outcome: 'scored', scoreCount: 1, aggregate: { meanRiskScore: 12.5 } },
    })
    expect(sandbox.world.assets.all()).toMatchObject([
      { title: 'Coffee', mediaContext: 'a cup', contentHash, mediaType: 'image', turnaround: 'priority_5min' },
    ])
    expect(`${out}${err}`).not.toContain(sandbox.submitterKey.signingSecret)
  })

  it('exits with 1 without a score in time, and the asset stays', async (context) => {
    const { sandbox } = await sandboxBench(context)
    const env = { ...submitterEnv(sandbox), ATTESTD_SESSION_TOKEN: sandbox.sessionToken }
    const { code, out } = await attestdVerb(['register', picture, '--timeout', '1s', '--open-for', '30m'], env)
    expect(code).toBe(1)
    expect(out).toMatch(/^ast_\w+ was not scored in this time; it remains open\.\n$/)
    const [asset] = sandbox.world.assets.all()
    expect(Date.parse(asset!.verificationDeadline) - asset!.createdAt).toBeLessThanOrEqual(30 * 60_000)
  })

  it('Ctrl-C ends following, and the asset stays', async (context) => {
    const { sandbox } = await sandboxBench(context)
    const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), 'register', picture], {
      env: { PATH: process.env.PATH, HOME: '/dev/null', ...submitterEnv(sandbox) },
    })
    context.onTestFinished(async () => void child.kill('SIGKILL'))
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
      if (err.includes('waiting for a score')) child.kill('SIGINT')
    })
    const [code, signal] = await once(child, 'close')
    expect({ code, signal, out }).toEqual({ code: 1, signal: null, out: expect.stringContaining('not scored yet') })
    expect(sandbox.world.assets.all()).toHaveLength(1)
  })

  it('a given uid is sent; --no-follow ends with the registration', async (context) => {
    const { sandbox } = await sandboxBench(context)
    const uid = `0x${'ab'.repeat(32)}`
    const flags = ['--attestation-uid', uid, '--media-type', 'video_short', '--no-follow']
    expect(await attestdVerb(['register', picture, ...flags], submitterEnv(sandbox))).toMatchObject({ code: 0 })
    expect(sandbox.world.assets.all()).toMatchObject([{ contributorAttestationUid: uid, mediaType: 'video_short' }])
  })

  it('nothing is registered where the service computes another hash', async (context) => {
    const { sandbox } = await sandboxBench(context, { contentHash: 'keccak256' })
    const ended = await attestdVerb(['register', picture], submitterEnv(sandbox))
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('[content-hash-mismatch]') })
    expect(sandbox.world.assets.all()).toEqual([])
    const right = ['register', picture, '--no-follow', '--content-hash', 'keccak256']
    expect(await attestdVerb(right, submitterEnv(sandbox))).toMatchObject({ code: 0 })
  })

  it('names missing settings', async () => {
    const { code, err } = await attestdVerb(['register', picture], {})
    expect(code).toBe(78)
    expect(err).toMatch(/ATTESTD_SERVICE_URL[\s\S]*ATTESTD_ACCESS_KEY[\s\S]*ATTESTD_SIGNING_SECRET/)
  })
})

describe.concurrent('attestd keys on a signed-key service', () => {
  const sessionEnv = ({ sessionToken, url }: Sandbox) => ({
    ATTESTD_SERVICE_URL: url,
    ATTESTD_SESSION_TOKEN: sessionToken,
  })

  it('creates a key into files for the owner only, which works and is revoked', async (context) => {
    const { folder, sandbox } = await sandboxBench(context)
    const out = path.join(folder, 'secrets')
    const create = ['keys', 'create', '--kind', 'attester', '--label', 'mine', '--out', out, '--json']
    const created = await attestdVerb(create, sessionEnv(sandbox))
    expect(created.code).toBe(0)
    const files = ['access_key', 'signing_secret'].map((name) => path.join(out, name))
    const [accessKey, signingSecret] = await Promise.all(files.map(async (file) => fs.readFile(file, 'utf8')))
    for (const file of files) expect((await fs.stat(file)).mode & 0o777).toBe(0o600)
    expect(`${created.out}${created.err}`).not.toContain(signingSecret!.trim())
    const { id, kind } = JSON.parse(created.out)
    expect(kind).toBe('attester')
    const key = { accessKey: accessKey!.trim(), signingSecret: signingSecret!.trim() }
    const list = { method: 'GET', target: '/api/v1/attester/media' }
    expect(await sendSigned(sandbox.url, key, list)).toMatchObject({ status: 200 })

    const again = await attestdVerb(create, sessionEnv(sandbox))
    expect(again).toMatchObject({ code: 78, err: expect.stringContaining('was not changed') })
    expect(sandbox.world.keys.all().filter(({ label }) => label === 'mine')).toHaveLength(1)

    expect(await attestdVerb(['keys', 'revoke', id], sessionEnv(sandbox))).toMatchObject({ code: 0 })
    expect(await sendSigned(sandbox.url, key, list)).toMatchObject({ status: 401 })
  })

  it('fills the empty files of init', async (context) => {
    const { folder, sandbox } = await sandboxBench(context)
    await attestdVerb(['init', folder], {})
    const out = path.join(folder, 'secrets')
    const ended = await attestdVerb(['keys', 'create', '--kind', 'attester', '--out', out], sessionEnv(sandbox))
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('Written: ') })
    expect(await fs.readFile(path.join(out, 'access_key'), 'utf8')).toMatch(/^ak_att_\w+\n$/)
  })

  it('without a terminal creates no key, because the secret could not be printed', async (context) => {
    const { sandbox } = await sandboxBench(context)
    const ended = await attestdVerb(['keys', 'create', '--kind', 'submitter'], sessionEnv(sandbox))
    expect(ended).toMatchObject({ code: 78, err: expect.stringContaining('--out') })
    expect(sandbox.world.keys.all()).toHaveLength(2)
  })

  it('refuses a wrong session token without repeating it, and writes no file', async (context) => {
    const { folder, sandbox } = await sandboxBench(context)
    const env = { ...sessionEnv(sandbox), ATTESTD_SESSION_TOKEN: 'stolen-token' }
    const out = path.join(folder, 'secrets')
    const { code, err } = await attestdVerb(['keys', 'create', '--kind', 'submitter', '--out', out], env)
    expect(code).toBe(75)
    expect(err).toMatch(/answered with 401[\s\S]*fix .*Sign in to the dashboard again.*ATTESTD_SESSION_TOKEN/)
    expect(err).not.toContain('stolen-token')
    expect(await fs.readdir(out)).toEqual([])
    const revoked = await attestdVerb(['keys', 'revoke', 'key_none'], sessionEnv(sandbox))
    expect(revoked).toMatchObject({ code: 1, err: expect.stringContaining('No key has this id') })
  })
})

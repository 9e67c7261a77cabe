import fs from 'node:fs/promises'
import path from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { readSamples } from '../../src/app/samples.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { PrivyStub } from '../support/privy-stub.js'
import { type SandboxProcess, startSandboxProcess } from '../support/sandbox-process.js'
import { send, sendSigned } from '../support/sandbox-requests.js'
import { folderForAll } from '../support/temporary-folder.js'

const folder = folderForAll()

const running: SandboxProcess[] = []
afterEach(() => Promise.all(running.splice(0).map((sandbox) => sandbox.end('SIGKILL'))))

async function start(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<SandboxProcess> {
  const sandbox = await startSandboxProcess(args, env)
  running.push(sandbox)
  return sandbox
}

const session = (url: string, token?: string) =>
  send(url, {
    method: 'GET',
    target: '/v1/assets/open',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })

describe('attestd sandbox', () => {
  it('--json prints keys, wallets and chain; --secrets writes the keys of both APIs, for the owner only', async () => {
    const secrets = path.join(folder, 'secrets')
    const sandbox = await start(['--secrets', secrets, '--chain-id', '8453'])
    const { chain, wallets, attesterKey } = sandbox.facts
    expect(chain.chainId).toBe(8453)
    expect(chain.contract).toMatch(/^0x[0-9a-fA-F]{40}$/)
    expect(privateKeyToAddress(wallets.attester.privateKey).toLowerCase()).toBe(wallets.attester.address)
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
    const { pathname } = new URL(chain.rpcUrl)
    const headers = { 'content-type': 'application/json' }
    expect((await send(chain.rpcUrl, { method: 'POST', target: pathname, body, headers })).json.result).toBe('0x2105')
    for (const [name, value] of [
      ['access_key', attesterKey.accessKey],
      ['signing_secret', attesterKey.signingSecret],
      ['wallet_key', wallets.attester.privateKey],
    ] as const) {
      expect(await fs.readFile(path.join(secrets, name), 'utf8')).toBe(`${value}\n`)
      expect((await fs.stat(path.join(secrets, name))).mode & 0o777).toBe(0o600)
    }
    expect((await session(sandbox.facts.url)).status).toBe(401)
    expect(await sandbox.end('SIGTERM')).toBe(0)
  })

  it('--samples prints the kind of media of each', async () => {
    const { facts } = await start(['--samples'])
    const { json } = await send(facts.url, { method: 'GET', target: '/sandbox/assets' })
    const kindOf = Object.fromEntries((await readSamples()).map(({ title, mediaType }) => [title, mediaType]))
    const assets = json.assets as { title: string; mediaType: string }[]
    expect(Object.fromEntries(assets.map(({ title, mediaType }) => [title, mediaType]))).toEqual(kindOf)
  })

  it('--no-auth accepts everyone, on this machine only', async () => {
    const sandbox = await start(['--no-auth'])
    expect((await session(sandbox.facts.url)).status).toBe(200)
    const state = await send(sandbox.facts.url, { method: 'GET', target: '/sandbox/state' })
    expect(state.json.authDisabled).toBe(true)
    await sandbox.end('SIGTERM')
    const open = await attestdVerb(['sandbox', '--no-auth', '--host', '0.0.0.0', '--allow-remote', '--port', '0'], {})
    expect(open).toMatchObject({ code: 78, err: expect.stringContaining('without authentication') })
  })

  it('--attestation-provider privy signs with the wallet of the settings', async () => {
    const stub = await PrivyStub.start()
    onTestFinished(() => stub.close())
    const { ATTESTD_WALLET: _, ...env } = stub.env
    const args = ['--attestation-provider', 'privy', '--samples']
    const sandbox = await start(args, env)
    const { url, attesterKey } = sandbox.facts
    const list = await sendSigned(url, attesterKey, { method: 'GET', target: '/api/v1/attester/media' })
    const target = `/api/v1/attester/media/${list.json.assets[0].id}/scores`
    const body = '{"deepfakeRiskScore":1,"algorithm":"a"}'
    const headers = { 'content-type': 'application/json' }
    const reply = await sendSigned(url, attesterKey, { method: 'POST', target, body, headers })
    await sandbox.end('SIGTERM')
    expect(reply.json.score).toMatchObject({
      attesterAddress: stub.address.toLowerCase(),
      attestationUid: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(stub.requests).toEqual([{ method: 'eth_signTypedData_v4', refused: null }])
  })

  it.each([
    ['a chain id that is no number', ['--chain-id', 'x'], 64, /--chain-id takes a whole number/],
    ['Privy without its settings', ['--attestation-provider', 'privy'], 78, /ATTESTD_PRIVY_APP_ID/],
    [
      'a session secret that is not there',
      ['--session-secret-file', '/nowhere/secret'],
      64,
      /--session-secret-file takes a file: \/nowhere\/secret does not exist/,
    ],
    ['a folder that cannot be', ['--data', '/dev/null/x'], 78, /\/dev\/null\/x cannot be created/],
  ] as const)('does not start with %s', async (_name, args, code, message) => {
    const ended = await attestdVerb(['sandbox', '--port', '0', ...args], {})
    expect(ended.code).toBe(code)
    expect(ended.err).toMatch(message)
  })

  it('refuses a short session secret, without repeating it', async () => {
    const file = path.join(folder, 'short')
    await fs.writeFile(file, 'hunter2\n')
    const ended = await attestdVerb(['sandbox', '--port', '0', '--session-secret-file', file], {})
    expect(ended).toMatchObject({ code: 78, err: expect.stringContaining('sessionSecret') })
    expect(ended.err).not.toContain('hunter2')
  })
})

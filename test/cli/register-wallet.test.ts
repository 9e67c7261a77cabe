import fs from 'node:fs/promises'
import path from 'node:path'
import { type Hex, recoverTypedDataAddress, serializeSignature } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { scoreWhatOpens } from '../support/score-what-opens.js'
import { picture, sandboxBench } from './sandbox-bench.js'

async function walletEnv({ url }: Sandbox, folder: string, privateKey: Hex) {
  const file = path.join(folder, `key-${privateKey.slice(-8)}`)
  await fs.writeFile(file, privateKey, { mode: 0o600 })
  return { ATTESTD_SERVICE_URL: url, ATTESTD_SERVICE_API: 'wallet-session', ATTESTD_WALLET_KEY_FILE: file }
}

describe.concurrent('attestd register on a wallet-session service', () => {
  it('signs in, uploads, attests, registers, and follows until the score is there', async (context) => {
    const { folder, sandbox } = await sandboxBench(context)
    const { submitter } = sandbox.wallets
    const env = await walletEnv(sandbox, folder, submitter.privateKey)
    const verb = attestdVerb(['register', picture, '--json', '--context', 'a cup'], env)
    await scoreWhatOpens(sandbox)
    const { code, err, out } = await verb
    expect(err).toContain('• registered as ')
    expect(code).toBe(0)
    const { asset, end } = JSON.parse(out)
    expect(end).toMatchObject({ outcome: 'scored', scoreCount: 1, aggregate: { scoreCount: 1 } })
    expect(sandbox.world.assets.all()).toMatchObject([
      {
        title: 'coffee.jpg',
        mediaContext: 'a cup',
        ownerAddress: submitter.address,
        contributorAttestationUid: asset.attestation.uid,
      },
    ])
    const { domain, message, primaryType, signature, types } = asset.attestation
    const typedData = { domain: { ...domain, chainId: Number(domain.chainId) }, types, primaryType, message }
    const serialized = serializeSignature({ ...signature, v: BigInt(signature.v) })
    const signer = await recoverTypedDataAddress({ ...typedData, signature: serialized })
    expect(signer.toLowerCase()).toBe(submitter.address)
    expect(message.data).toContain(asset.contentHash.slice(2))
    expect(`${out}${err}`).not.toContain(submitter.privateKey.slice(2))
  })

  it('a wallet without the role gets the reason, and nothing is uploaded', async (context) => {
    const { folder, sandbox } = await sandboxBench(context)
    const keys = [sandbox.wallets.attester.privateKey, generatePrivateKey()]
    const envs = await Promise.all(keys.map((key) => walletEnv(sandbox, folder, key)))
    for (const ended of await Promise.all(envs.map((env) => attestdVerb(['register', picture], env)))) {
      expect(ended).toMatchObject({ code: 78, err: expect.stringContaining('[role-missing]') })
    }
    expect(sandbox.world.assets.all()).toEqual([])
  })

  it('names missing settings', async () => {
    const { code, err } = await attestdVerb(['register', picture], { ATTESTD_SERVICE_API: 'wallet-session' })
    expect(code).toBe(78)
    expect(err).toMatch(/ATTESTD_SERVICE_URL[\s\S]*ATTESTD_WALLET_KEY/)
  })
})

describe.concurrent('attestd keys on a wallet-session service', () => {
  it('a session of the wallet creates and revokes keys', async (context) => {
    const { folder, sandbox } = await sandboxBench(context)
    const out = path.join(folder, 'secrets')
    const env = await walletEnv(sandbox, folder, sandbox.wallets.attester.privateKey)
    const created = await attestdVerb(['keys', 'create', '--kind', 'attester', '--out', out, '--json'], env)
    expect(created).toMatchObject({ code: 0 })
    const { id } = JSON.parse(created.out)
    const [made] = sandbox.world.keys.all().filter((key) => key.id === id)
    expect(made).toMatchObject({ kind: 'attester', wallet: sandbox.wallets.attester.address, revokedAt: null })
    expect(await attestdVerb(['keys', 'revoke', id], env)).toMatchObject({ code: 0 })
    expect(made!.revokedAt).not.toBeNull()
    // Whichever role the wallet has does for revoking.
    const submitter = await walletEnv(sandbox, folder, sandbox.wallets.submitter.privateKey)
    const other = await attestdVerb(['keys', 'revoke', 'key_none'], submitter)
    expect(other.err).toMatch(/answered with 404/)
  })

  it('a key of a role that the wallet lacks is refused before a file is written', async (context) => {
    const { folder, sandbox } = await sandboxBench(context)
    const out = path.join(folder, 'secrets')
    const env = await walletEnv(sandbox, folder, sandbox.wallets.attester.privateKey)
    const ended = await attestdVerb(['keys', 'create', '--kind', 'submitter', '--out', out], env)
    expect(ended).toMatchObject({ code: 78, err: expect.stringContaining('[role-missing]') })
    expect(await fs.readdir(out)).toEqual([])
  })
})

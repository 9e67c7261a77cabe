import { type Address, concatHex, createTestClient, encodeAbiParameters, type Hex, http } from 'viem'
import { describe, expect, it } from 'vitest'
import { readEasVersion } from '../../../src/chain/eas/contract-version.js'
import { anvil, anvilFor } from '../../support/anvil.js'
import { chainReaderFor } from '../../support/rpc-server.js'
import { withReason } from '../../support/with-reason.js'

const CONTRACT: Address = '0x4200000000000000000000000000000000000021'

/** Code that answers every call with 96 bytes: CODECOPY(0, 12, 96), RETURN(0, 96), and what follows them. */
const saying = (data: Hex) => concatHex(['0x6060600c60003960606000f3', data])
const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])
const REVERT = '0x60006000fd'

describe.skipIf(anvil === null)('the version of the EAS contract, on anvil', () => {
  it('is what the contract returns, or the contract is named', async (context) => {
    const { rpcUrl } = await anvilFor(context, { keys: 0 })
    const reader = chainReaderFor(context, rpcUrl)
    const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
    const versionOf = async (bytecode: Hex) => {
      await chain.setCode({ address: CONTRACT, bytecode })
      return readEasVersion(reader, CONTRACT, () => {})
    }
    const refused = (what: string) => withReason('setting-invalid', what)

    await expect(versionOf('0x')).rejects.toThrow(refused('does not state its version'))
    expect(await versionOf(saying(text('1.2.0')))).toBe('1.2.0')
    expect(await versionOf(saying(text('1.0.1')))).toBe('1.0.1')
    await expect(versionOf(REVERT)).rejects.toThrow(refused('does not state its version'))
    await expect(versionOf(saying(`0x${'ff'.repeat(96)}`))).rejects.toThrow(refused('does not state its version'))
    await expect(versionOf(saying(text('latest')))).rejects.toThrow(refused('states an invalid version'))
    await expect(versionOf(saying(text('1.2.0 '.repeat(5))))).rejects.toThrow(refused('an invalid version'))
  })

  it('is unknown where no endpoint answers', async (context) => {
    const { rpcUrl, stop } = await anvilFor(context, { keys: 0 })
    await stop()
    const reader = chainReaderFor(context, rpcUrl)
    await expect(readEasVersion(reader, CONTRACT, () => {})).rejects.toMatchObject({ reason: 'rpc-unreachable' })
  })
})

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Abi, type AbiItem, toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import artifact from '../../../src/sandbox/contracts/stake-registry.json' with { type: 'json' }
import { stakeRegistryAbi } from '../../../src/sandbox/contracts/stake-registry-abi.js'
import { anvil } from '../../support/anvil.js'
import { stakeChainFor } from '../../support/stake-chain.js'

it('the compiled contracts are those of their sources', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [packagePath('.ci', 'compile-contracts.mjs'), '--check'], {
    cwd: packagePath(),
  })
  expect(stdout).toBe('')
})

it('the typed ABI is that of the compiled contract', () => {
  expect(shapes(stakeRegistryAbi)).toEqual(shapes(artifact.abi as Abi))
})

function shapes(abi: Abi): string[] {
  return abi.map(shape).sort()
}

function shape(item: AbiItem): string {
  if (item.type === 'function') {
    const outputs = item.outputs.map((output) => output.type).join()
    return `${toFunctionSelector(item)} ${item.name} ${item.stateMutability} ${outputs}`
  }
  if (item.type === 'event') return `${toEventSelector(item)} ${item.name}`
  const inputs = 'inputs' in item ? item.inputs.map((input) => input.type).join() : ''
  return `${item.type} ${'name' in item ? item.name : ''} ${inputs}`
}

describe.skipIf(anvil === null)('on a chain (skipped where there is no anvil)', () => {
  it('an account takes roles, stakes and withdraws; only the owner books for others', async (context) => {
    const { reader, address, owner, other } = await stakeChainFor(context)
    const contract = { abi: stakeRegistryAbi, address } as const
    const held = () => reader.readContract({ ...contract, functionName: 'stakeOf', args: [other.address] })
    const isAttester = () => reader.readContract({ ...contract, functionName: 'isAttester', args: [other.address] })

    expect(await reader.readContract({ ...contract, functionName: 'minimumStake' })).toBe(1_000n)
    expect(await isAttester()).toBe(false)
    await other.register(false, true)
    expect(await isAttester()).toBe(true)
    await other.stake(5_000n)
    expect(await held()).toBe(5_000n)
    await other.withdraw(4_500n)
    expect(await held()).toBe(500n)
    expect(await reader.getBalance({ address })).toBe(500n)
    await expect(other.withdraw(501n)).rejects.toThrow('StakeTooSmall')
    await owner.setStake(other.address, 9n)
    await owner.setMinimum(7n)
    await owner.setRoles(other.address, true, false)
    expect(await held()).toBe(9n)
    expect(await reader.readContract({ ...contract, functionName: 'minimumStake' })).toBe(7n)
    expect(await isAttester()).toBe(false)
    expect(await reader.readContract({ ...contract, functionName: 'isSubmitter', args: [other.address] })).toBe(true)
    await expect(other.setStake(other.address, 1n)).rejects.toThrow('OnlyOwner')
    await expect(other.setMinimum(0n)).rejects.toThrow('OnlyOwner')
    await expect(other.setRoles(other.address, true, true)).rejects.toThrow('OnlyOwner')
  })
})

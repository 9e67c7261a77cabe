import { describe, expect, it } from 'vitest'
import { parseStakeAbi } from '../../src/chain/stake-abi.js'
import type { AttestdError } from '../../src/core/errors.js'

const STAKE = 'stake=function stakeOf(address) view returns (uint256)'
const MINIMUM = 'minimum=function minimumStake() view returns (uint256)'

/** The error of a text that must not be accepted. */
function refusal(text: string): AttestdError {
  try {
    parseStakeAbi(text)
  } catch (error) {
    return error as AttestdError
  }
  throw new Error('it was accepted')
}

describe('the setting of the stake functions accepts', () => {
  it('a number of wei as the minimum, and no roles', () => {
    const parsed = parseStakeAbi(`${STAKE}; minimum=1000000000000000000;`)
    expect(parsed).toMatchObject({ minimum: 10n ** 18n, attester: null, submitter: null })
  })

  it.each([
    ['stake.1=function of(address) view returns (bool, uint96)', [1]],
    ['stake.held=function of(address a) view returns (bool active, uint256 held)', [1]],
    ['stake.info.held=function of(address) view returns ((bool active, uint256 held) info, uint8)', [0, 1]],
    ['stake.0.1=function of(address) pure returns ((bool, uint256))', [0, 1]],
  ])('one value of several: %s', (entry, output) => {
    expect(parseStakeAbi(`${entry};${MINIMUM}`).stake).toMatchObject({ output, takesAccount: true })
  })

  it.each([
    (item: object) => JSON.stringify(item),
    (item: object) => JSON.stringify([item]),
    (item: object) => JSON.stringify([item], null, 2),
  ])('JSON instead of a signature', (write) => {
    const item = {
      type: 'function',
      name: 'of',
      inputs: [{ type: 'address', name: 'who', internalType: 'address' }],
      outputs: [{ type: 'tuple', name: 'info', components: [{ type: 'uint256', name: 'held' }] }],
      stateMutability: 'view',
    }
    const { stake } = parseStakeAbi(`stake.info.held=${write(item)};${MINIMUM}`)
    expect(stake).toMatchObject({ abi: { name: 'of' }, takesAccount: true, output: [0, 0] })
  })
})

describe('the setting of the stake functions refuses, with the purpose and what was expected', () => {
  it.each([
    ['', 'its purpose stake is missing'],
    [STAKE, 'its purpose minimum is missing'],
    [MINIMUM, 'its purpose stake is missing'],
    [`${STAKE};${STAKE};${MINIMUM}`, 'its purpose stake is set twice'],
    ['stakeOf(address)', 'which is not purpose=signature'],
    [`owner=function owner() view returns (address);${STAKE}`, 'it has no purpose "owner"'],
    ['stake=1000', 'its purpose stake holds "1000", which is not a function signature'],
    ['minimum=-1', 'its purpose minimum holds "-1"'],
    [`minimum=${'9'.repeat(79)}`, 'its purpose minimum holds "999'],
    ['minimum.0=5', 'its purpose minimum holds "5"'],
    ['stake=', 'its purpose stake holds ""'],
    ['stake=function (', 'its purpose stake holds "function ("'],
    ['stake=event Staked(address who)', 'its purpose stake is a signature of kind event'],
    ['stake=constructor()', 'its purpose stake is a signature of kind constructor'],
    ['stake=function stakeOf(address) returns (uint256)', 'its purpose stake is not a view or pure function'],
    ['stake=function stakeOf(address) payable returns (uint256)', 'its purpose stake is not a view or pure function'],
    ['stake=function stakeOf(address, uint8) view returns (uint256)', 'takes (address,uint8) instead of'],
    ['stake=function stakeOf(bytes32) view returns (uint256)', 'takes (bytes32) instead of'],
    ['stake=function stakeOf(address) view', 'its purpose stake does not select an output'],
    ['stake=function of(address) view returns (uint256, bool)', 'does not select an output'],
    ['stake.2=function of(address) view returns (uint256, bool)', 'has no output "2"; it has "0: uint256, 1: bool"'],
    ['stake.held=function of(address) view returns (uint256 h, bool)', 'it has "0: uint256 h, 1: bool"'],
    ['stake.0.0=function of(address) view returns (uint256[] all)', 'has no output "0"; it has nothing'],
    ['stake=function of(address) view returns (int256)', 'returns a "int256" instead of an unsigned integer'],
    ['stake=function of(address) view returns (uint256[])', 'returns a "uint256[]" instead of an unsigned integer'],
    ['stake=function of(address) view returns (bool)', 'returns a "bool" instead of an unsigned integer'],
    ['attester=function is(address) view returns (address)', 'instead of a bool or an unsigned integer'],
    ['attester=7', 'its purpose attester holds "7"'],
    ['stake={"type":"function"}', 'its purpose stake is not a JSON ABI of exactly one function'],
    ['stake=[]', 'its purpose stake is not a JSON ABI of exactly one function'],
    ['stake=[{', 'its purpose stake is not a JSON ABI of exactly one function'],
    [`stake=${'['.repeat(15_000)}`, 'its purpose stake is not a JSON ABI of exactly one function'],
    ['x'.repeat(20_001), 'it is longer than 20000 characters'],
  ])('%.60s', (text, what) => {
    const failure = refusal(text)
    expect(failure).toMatchObject({ name: 'AttestdError', reason: 'setting-invalid', kind: 'setup' })
    expect(failure.message).toContain('ATTESTD_STAKE_ABI is not accepted: ')
    expect(failure.message).toContain(what)
    expect(failure.message).toMatch(/expected for instance (stake|minimum|attester|submitter)=function /)
    expect(failure.message.length).toBeLessThan(600)
  })

  it('components nested without end', () => {
    const depth = 300
    const nested = `${'{"type":"tuple","components":['.repeat(depth)}{"type":"bool"}${']}'.repeat(depth)}`
    const text = `stake={"type":"function","name":"f","inputs":[],"outputs":[${nested}],"stateMutability":"view"}`
    expect(refusal(text).reason).toBe('setting-invalid')
  })
})

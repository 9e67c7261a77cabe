import { describe, expect, it } from 'vitest'
import { parseAttestation } from '../../../src/chain/eas/wire.js'
import { readEasVectors } from '../../support/eas-vectors.js'
import { withReason } from '../../support/with-reason.js'

const vectors = readEasVectors()
const { attestation } = vectors[0]!
const inVersion1 = vectors.find(({ attestationVersion }) => attestationVersion === 1)!.attestation

/** A copy with one value changed; undefined takes the key away. */
function withChange(where: string, value: unknown, source: object = attestation): unknown {
  const copy = structuredClone(source) as Record<string, unknown>
  const keys = where.split('.')
  const last = keys.pop()!
  const holder = keys.reduce((level, key) => level[key] as Record<string, unknown>, copy)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}

const UINT64_MAX = 2n ** 64n - 1n
const HEX32 = [
  null,
  1,
  '',
  '0x',
  'ab'.repeat(32),
  `0x${'ab'.repeat(31)}`,
  `0x${'ab'.repeat(33)}`,
  `0x${'zz'.repeat(32)}`,
]
const NUMBER = [null, true, {}, [], '', ' 1', '1 ', '+1', '-1', '01', '1.0', '1e3', '0x10', '1n', -1, 1.5, 2 ** 53, -1n]
const WORD = [null, 1, {}, 'x'.repeat(65)]
const ADDRESS = [
  null,
  1,
  '',
  '0x',
  '4200000000000000000000000000000000000021',
  `0x${'ab'.repeat(19)}`,
  `0x${'ab'.repeat(32)}`,
]
const VERSION = [null, 0, 3, '2', 2n, 1.5]
const FIELD = { name: 'version', type: 'uint16' }

const MALFORMED: Record<string, readonly unknown[]> = {
  version: VERSION,
  uid: HEX32,
  domain: [null, 'EAS', []],
  'domain.name': WORD,
  'domain.version': WORD,
  'domain.chainId': [...NUMBER, String(2n ** 53n), 10n ** 30n, '9'.repeat(100)],
  'domain.verifyingContract': ADDRESS,
  primaryType: WORD,
  types: [null, [], {}, { Attest: attestation.types.Attest, EIP712Domain: [] }, { Attestation: [] }],
  'types.Attest': [null, {}, 'uint16', Array.from({ length: 17 }, () => FIELD), [null], [{ name: 'version' }]],
  message: [null, '0x', 5],
  'message.version': VERSION,
  'message.schema': HEX32,
  'message.recipient': ADDRESS,
  'message.time': [...NUMBER, UINT64_MAX + 1n, String(UINT64_MAX + 1n), '1'.repeat(21)],
  'message.expirationTime': [...NUMBER, UINT64_MAX + 1n],
  'message.revocable': [null, 0, 1, 'true'],
  'message.refUID': HEX32,
  'message.data': [null, 1, '', 'ab', '0xa', '0xzz', `0x${'ab'.repeat(32_769)}`, '0x'.padEnd(20_000_001, 'a')],
  signature: [null, `0x${'ab'.repeat(65)}`],
  'signature.v': [null, '27', 2, 26, 29, 27n],
  'signature.r': HEX32,
  'signature.s': HEX32,
}

const rows = Object.entries(MALFORMED).flatMap(([where, values]) =>
  [undefined, ...values].map((value) => {
    const shown = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'absent')
    return { where, value, shown: shown.slice(0, 60) }
  }),
)

describe('an external attestation', () => {
  it.each(rows)('is malformed: $where is $shown', ({ where, value }) => {
    const named = new RegExp(`^The attestation is malformed at ${where.replaceAll('.', '\\.')}(\\.[\\w.]+)?: .{1,120}$`)
    expect(() => parseAttestation(withChange(where, value))).toThrow(withReason('attestation-invalid', named))
  })

  it.each([null, undefined, 1, 'text', [], [attestation], {}])('is malformed: %j', (value) => {
    expect(() => parseAttestation(value)).toThrow(withReason('attestation-invalid'))
  })

  it.each([null, 1, '0x', `0x${'ab'.repeat(31)}`])('is malformed: salt is %j', (salt) => {
    const act = () => parseAttestation(withChange('message.salt', salt))
    expect(act).toThrow(withReason('attestation-invalid', 'message.salt'))
  })

  it.each<[string, unknown, unknown]>([
    ['domain.chainId', 84532, '84532'],
    ['domain.chainId', 84532n, '84532'],
    ['message.time', 1_767_225_601, '1767225601'],
    ['message.time', 1_767_225_601n, '1767225601'],
    ['message.time', UINT64_MAX, String(UINT64_MAX)],
    ['message.expirationTime', 0, '0'],
    ['signature.v', 0, 27],
    ['signature.v', 1, 28],
    ['signature.v', 28, 28],
    ['uid', `0x${'AB'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
    ['message.data', '0xABCD', '0xabcd'],
    ['message.data', '0x', '0x'],
    ['message.data', `0x${'ab'.repeat(32_768)}`, `0x${'ab'.repeat(32_768)}`],
    // The example of EIP-55.
    [
      'message.recipient',
      `0x${'5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'}`,
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    ],
  ])('%s %s is read as %s', (where, value, read) => {
    expect(parseAttestation(withChange(where, value))).toEqual(withChange(where, read))
  })

  it('loses unknown keys', () => {
    const source = JSON.stringify(attestation).replace('{', '{"__proto__":{"uid":"0x"},"extra":1,')
    const parsed = parseAttestation(JSON.parse(source.replace('"domain":{', '"domain":{"salt":"0x00",')))
    expect(parsed).toEqual(attestation)
    expect(Object.keys(parsed).sort()).toEqual(Object.keys(attestation).sort())
  })

  it('has no salt in version 1, not even an undefined one', () => {
    expect(Object.keys(parseAttestation(inVersion1).message)).not.toContain('salt')
  })

  it.each(Object.keys(MALFORMED))('does not repeat the refused value at %s', (where) => {
    const hostile = 'xyzzy'.repeat(20)
    const quiet = expect.objectContaining({ message: expect.not.stringContaining('xyzzy') })
    expect(() => parseAttestation(withChange(where, hostile))).toThrow(quiet)
    expect(() => parseAttestation(withChange(where, { [hostile]: 1 }))).toThrow(quiet)
  })
})

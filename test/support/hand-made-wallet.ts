import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concat, encodeAbiParameters, type Hex, hexToBytes, parseAbiParameters, stringToBytes } from 'viem'
import { sign } from 'viem/accounts'

/**
 * Signatures and attestations as the standards' texts have them (EIP-191, EIP-712, EAS), made without viem's message
 * and typed-data functions and without attestd's own, so that a mistake of theirs shows.
 */

const keccak = (bytes: Uint8Array): Hex => bytesToHex(keccak_256(bytes))
const keccakText = (text: string): Hex => keccak(stringToBytes(text))
const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as const
const ZERO_BYTES = `0x${'0'.repeat(64)}` as const

/** EIP-191 personal sign. */
export async function personalSign(message: string, privateKey: Hex): Promise<Hex> {
  const bytes = stringToBytes(message)
  const prefix = stringToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`)
  return sign({ hash: keccak(concat([prefix, bytes])), privateKey, to: 'hex' })
}

export interface HandMade {
  readonly privateKey: Hex
  readonly assetId: string
  readonly contentHash: string
  readonly deepfakeRiskBps: number
  readonly algorithm: string
  /** Unix seconds. @default now */
  readonly time?: number
  readonly version?: 1 | 2
  /** @default 84532 */
  readonly chainId?: number
  readonly domainVersion?: string
  /** @default made up */
  readonly salt?: Hex
}

const SCHEMA = 'string assetId,bytes32 contentHash,uint16 deepfakeRiskBps,string algorithm'
const EAS = '0x4200000000000000000000000000000000000021'
const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const FIELDS = [
  ['version', 'uint16'],
  ['schema', 'bytes32'],
  ['recipient', 'address'],
  ['time', 'uint64'],
  ['expirationTime', 'uint64'],
  ['revocable', 'bool'],
  ['refUID', 'bytes32'],
  ['data', 'bytes'],
  ['salt', 'bytes32'],
] as const

/** An off-chain attestation of a score as JSON. */
export async function handMadeAttestation(made: HandMade) {
  const { version = 2, chainId = 84_532, domainVersion = '1.2.0', time = Math.floor(Date.now() / 1000) } = made
  const fields = version === 2 ? FIELDS : FIELDS.slice(0, -1)
  const schema = keccak(concat([stringToBytes(SCHEMA), hexToBytes(ZERO_ADDRESS), new Uint8Array([1])]))
  const data = encodeAbiParameters(parseAbiParameters('string, bytes32, uint16, string'), [
    made.assetId,
    made.contentHash as Hex,
    made.deepfakeRiskBps,
    made.algorithm,
  ])
  const salt = made.salt ?? keccakText(`salt of ${made.assetId} at ${time}`)
  const digest = digestOf({ version, chainId, domainVersion, time, schema, data, salt, fields })
  const { r, s, v } = await sign({ hash: digest, privateKey: made.privateKey })
  return {
    version,
    uid: uidOf({ version, time, schema, data, salt }),
    domain: { name: 'EAS Attestation', version: domainVersion, chainId: String(chainId), verifyingContract: EAS },
    primaryType: 'Attest',
    types: { Attest: fields.map(([name, type]) => ({ name, type })) },
    message: {
      version,
      schema,
      recipient: ZERO_ADDRESS,
      time: String(time),
      expirationTime: '0',
      revocable: true,
      refUID: ZERO_BYTES,
      data,
      ...(version === 2 ? { salt } : {}),
    },
    signature: { v: Number(v), r, s },
  }
}

interface Parts {
  readonly version: number
  readonly time: number
  readonly schema: Hex
  readonly data: Hex
  readonly salt: Hex
}

function digestOf({
  version,
  chainId,
  domainVersion,
  time,
  schema,
  data,
  salt,
  fields,
}: Parts & { chainId: number; domainVersion: string; fields: readonly (readonly [string, string])[] }): Hex {
  const domain = encodeAbiParameters(parseAbiParameters('bytes32, bytes32, bytes32, uint256, address'), [
    keccakText(DOMAIN_TYPE),
    keccakText('EAS Attestation'),
    keccakText(domainVersion),
    BigInt(chainId),
    EAS,
  ])
  const type = `Attest(${fields.map(([name, kind]) => `${kind} ${name}`).join(',')})`
  const head = encodeAbiParameters(
    parseAbiParameters('bytes32, uint16, bytes32, address, uint64, uint64, bool, bytes32, bytes32'),
    [keccakText(type), version, schema, ZERO_ADDRESS, BigInt(time), 0n, true, ZERO_BYTES, keccak(hexToBytes(data))],
  )
  const struct = version === 2 ? concat([head, salt]) : head
  return keccak(concat([new Uint8Array([0x19, 0x01]), keccak256Bytes(domain), keccak256Bytes(struct)]))
}

const keccak256Bytes = (hex: Hex): Uint8Array => keccak_256(hexToBytes(hex))

/** `uint16 version, schema as text, recipient, address 0, time, expiration, revocable, refUID, data, salt, uint32 0`, packed. */
function uidOf({ version, time, schema, data, salt }: Parts): Hex {
  const number = (value: number, bytes: number) => hexToBytes(`0x${value.toString(16).padStart(bytes * 2, '0')}`)
  return keccak(
    concat([
      number(version, 2),
      stringToBytes(schema),
      hexToBytes(ZERO_ADDRESS),
      hexToBytes(ZERO_ADDRESS),
      number(time, 8),
      number(0, 8),
      number(1, 1),
      hexToBytes(ZERO_BYTES),
      hexToBytes(data),
      version === 2 ? hexToBytes(salt) : new Uint8Array(),
      number(0, 4),
    ]),
  )
}

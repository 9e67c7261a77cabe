// Makes eas-offchain.json with EAS's own SDK, which is no part of attestd (351 MB, and as ESM it does not load):
//   mkdir -p /tmp/eas && cd /tmp/eas && npm init -y && npm pkg set overrides.viem=2.57.1 overrides.ox=0.14.45
//   npm install --ignore-scripts @ethereum-attestation-service/eas-sdk@2.10.0 ethers@6
//   cd - && NODE_PATH=/tmp/eas/node_modules node test/vectors/make-eas-vectors.cjs > test/vectors/eas-offchain.json
// With a file it lets the SDK judge an attestation instead, as a service would, and says who signed it:
//   NODE_PATH=/tmp/eas/node_modules node test/vectors/make-eas-vectors.cjs ATTESTATION.json ATTESTER
const fs = require('node:fs')
const { EAS, Offchain, SchemaEncoder, SchemaRegistry } = require('@ethereum-attestation-service/eas-sdk')
const { id, TypedDataEncoder, Wallet } = require('ethers')

const CONTRACT = '0x4200000000000000000000000000000000000021'
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const ZERO_BYTES32 = `0x${'0'.repeat(64)}`
const CHAINS = [
  { chainId: 84532, domainVersion: '1.2.0' },
  { chainId: 8453, domainVersion: '1.0.1' },
]
const SCHEMAS = [
  'string assetId,bytes32 contentHash,uint16 deepfakeRiskBps,string algorithm',
  'string assetId, bytes32 contentHash, uint16 deepfakeRiskBps, uint8 deepfakeRiskScore, uint8 authenticityScore, string algorithm, string notes',
  'uint256 authenticityScore,uint32 deepfakeRiskScore,bytes32 assetId,string contentHash',
  'string notes',
]
/** Values by hand, so that no code of attestd's kind decides on the rounding. */
const SCORES = [
  score('a plain one', 5731, 57.31, 42.69, 57, 43, 'asset-1', 'attestd-image@1.4.0', 'One face was found.'),
  score('no risk', 0, 0, 100, 0, 100, 'asset-2', 'attestd-image@1.4.0', ''),
  score('all risk', 10000, 100, 0, 100, 0, 'asset-3', 'attestd-video@1.1.0', 'x'.repeat(100)),
  score('at a half', 4250, 42.5, 57.5, 43, 58, 'asset-4', 'attestd-audio@0.9.0', 'half'),
  score('below a half', 4249, 42.49, 57.51, 42, 58, 'asset-5', 'attestd-audio@0.9.0', 'less'),
  score('least risk', 1, 0.01, 99.99, 0, 100, 'asset-6', 'attestd-text@0.2.0', 'least'),
  score(
    'other scripts',
    5000,
    50,
    50,
    50,
    50,
    'актив-７ 🦊',
    'détecteur@1',
    'Rétro — 写真は本物？ 🙂\n"zwei" \u0000 e\u0301',
  ),
  score('an id of 32 bytes', 9999, 99.99, 0.01, 100, 0, id('asset-8'), 'attestd-image@1.4.0', 'a'),
]

function score(name, bps, risk, authenticity, wholeRisk, wholeAuthenticity, assetId, algorithm, notes) {
  const values = { deepfakeRiskBps: bps, deepfakeRiskScore: risk, authenticityScore: authenticity }
  return { name, wholeRisk, wholeAuthenticity, says: { assetId, contentHash: id(name), ...values, algorithm, notes } }
}

function solidityValue(type, name, { says, wholeRisk, wholeAuthenticity }) {
  if (name === 'deepfakeRiskScore') return wholeRisk
  if (name === 'authenticityScore') return wholeAuthenticity
  if (name === 'assetId' && type === 'bytes32' && !/^0x[0-9a-f]{64}$/.test(says.assetId)) return id(says.assetId)
  return says[name]
}

function encode(schema, each) {
  const fields = schema.split(',').map((field) => field.trim().split(' '))
  return new SchemaEncoder(schema).encodeData(
    fields.map(([type, name]) => ({ type, name, value: solidityValue(type, name, each) })),
  )
}

async function makeVector(number, { chainId, domainVersion }, version, schema, each) {
  const name = `${number}: ${each.name}, version ${version}, chain ${chainId}, schema ${SCHEMAS.indexOf(schema) + 1}`
  const wallet = new Wallet(id(`attestd test vector ${number % 5}`))
  const schemaUid = SchemaRegistry.getSchemaUID(schema, ZERO_ADDRESS, true)
  const salt = version === 2 ? id(`salt of ${number}`) : null
  const message = {
    recipient: ZERO_ADDRESS,
    expirationTime: 0n,
    time: BigInt(1_767_225_600 + number),
    revocable: true,
    schema: schemaUid,
    refUID: ZERO_BYTES32,
    data: encode(schema, each),
    ...(salt === null ? {} : { salt }),
  }
  const attestation = await offchain(chainId, domainVersion, version).signOffchainAttestation(message, wallet)
  const hash = TypedDataEncoder.hash(attestation.domain, attestation.types, attestation.message)
  const given = { privateKey: wallet.privateKey, score: each.says, time: Number(message.time), salt }
  const profile = { chainId, domainVersion, attestationVersion: version, schema }
  return { name, ...profile, schemaUid, ...given, attester: wallet.address, hash, attestation }
}

function offchain(chainId, domainVersion, version) {
  const config = { address: CONTRACT, version: domainVersion, chainId: BigInt(chainId) }
  return new Offchain(config, version, new EAS(CONTRACT))
}

async function makeAll() {
  const cases = CHAINS.flatMap((chain) =>
    [2, 1].flatMap((version) => SCHEMAS.flatMap((schema) => SCORES.map((each) => [chain, version, schema, each]))),
  )
  // Each schema with each score on one chain and version; the other three with every third.
  const kept = cases.filter(([chain, version], index) => (chain === CHAINS[0] && version === 2) || index % 3 === 0)
  const vectors = await Promise.all(kept.map((each, index) => makeVector(index + 1, ...each)))
  const note = 'Made by make-eas-vectors.cjs with the EAS SDK 2.10.0 and ethers; made-up keys. Do not edit.'
  const lines = vectors.map((each) => `  ${JSON.stringify(each, bigintAsText)}`)
  process.stdout.write(`{\n "note": ${JSON.stringify(note)},\n "vectors": [\n${lines.join(',\n')}\n ]\n}\n`)
}

const bigintAsText = (_key, value) => (typeof value === 'bigint' ? String(value) : value)

function judge(file, attester) {
  const attestation = JSON.parse(fs.readFileSync(file, 'utf8'))
  const { domain, version } = attestation
  const sdk = offchain(domain.chainId, domain.version, version)
  const good = sdk.verifyOffchainAttestationSignature(attester, attestation)
  process.stdout.write(`${good ? 'good' : 'NOT good'}: ${attestation.uid} by ${attester}\n`)
  process.exitCode = good ? 0 : 1
}

if (process.argv[2] === undefined) makeAll()
else judge(process.argv[2], process.argv[3])

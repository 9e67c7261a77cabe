import { webcrypto } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { BMFF, JPEG, PNG } from '@trustnxt/c2pa-ts/asset'
import { CoseAlgorithmIdentifier, LocalSigner } from '@trustnxt/c2pa-ts/cose'
import {
  ActionAssertion,
  ActionType,
  BMFFHashAssertion,
  ClaimVersion,
  DataHashAssertion,
  DigitalSourceType,
  ManifestStore,
} from '@trustnxt/c2pa-ts/manifest'

/** The name a test certificate gives its owner. */
export const C2PA_SIGNER = 'Attestd Test'
const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 60 * 60 * 1000

/** A certificate that C2PA accepts in form, from an authority that nobody trusts, and its key. */
async function testSigner(): Promise<LocalSigner> {
  const authority = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify'])
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    serialNumber: '01',
    issuer: 'CN=Nobody',
    subject: `O=${C2PA_SIGNER}, CN=test`,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: KEY,
    publicKey: keys.publicKey,
    signingKey: authority.privateKey,
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.emailProtection]),
      await AuthorityKeyIdentifierExtension.create(authority.publicKey),
    ],
  })
  const pkcs8 = new Uint8Array(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return new LocalSigner(pkcs8, CoseAlgorithmIdentifier.ES256, certificate)
}

/** A picture with a signed claim that it came from a trained model. */
export async function withC2pa(
  picture: Uint8Array,
  format: 'jpeg' | 'png' | 'avif',
  generator: string,
): Promise<Buffer> {
  const signer = await testSigner()
  const data = new Uint8Array(picture)
  const asset = new { jpeg: JPEG, png: PNG, avif: BMFF }[format](data)
  const store = new ManifestStore()
  const manifest = store.createManifest({
    claimVersion: ClaimVersion.V1,
    assetFormat: `image/${format}`,
    instanceID: 'xmp:iid:1',
    defaultHashAlgorithm: 'SHA-256',
    signer,
  })
  if (manifest.claim !== undefined)
    Object.assign(manifest.claim, { claimGeneratorName: generator, claimGeneratorVersion: undefined })
  const actions = new ActionAssertion()
  actions.actions.push({
    action: ActionType.C2paCreated,
    digitalSourceType: DigitalSourceType.TrainedAlgorithmicMedia,
  })
  manifest.addAssertion(actions)
  const hash =
    format === 'avif' ? BMFFHashAssertion.createV2('jumbf manifest', 'SHA-256') : DataHashAssertion.create('SHA-256')
  manifest.addAssertion(hash)
  await asset.ensureManifestSpace(store.measureSize())
  await hash.updateWithAsset(asset)
  await manifest.sign(signer)
  await asset.writeManifestJUMBF(store.getBytes())
  return Buffer.from(await asset.getDataRange())
}

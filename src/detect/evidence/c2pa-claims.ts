import { type Asset, BMFF, JPEG, MP3, PNG } from '@trustnxt/c2pa-ts/asset'
import { SuperBox } from '@trustnxt/c2pa-ts/jumbf'
import { ActionAssertion, type Manifest, ManifestStore, ValidationStatusCode } from '@trustnxt/c2pa-ts/manifest'
import type { Evidence } from '../contract/measurement.js'
import { evidenceOf, quote } from './evidence-of.js'
import { refuseDeepNesting } from './jumbf-nesting.js'
import { sourceType } from './xmp.js'

/** Most claims reported: the active one, then those of what went into the file. */
const MAX_CLAIMS = 3
/** Longest quotation of a name. */
const MAX_NAME = 60

type AssetReader = new (data: Uint8Array<ArrayBuffer>) => Asset

const READERS: Readonly<Record<string, AssetReader>> = {
  'image/jpeg': JPEG,
  'image/png': PNG,
  'image/apng': PNG,
  'image/avif': BMFF,
  'image/heic': BMFF,
  'image/heif': BMFF,
  'audio/mpeg': MP3,
}

/** What takes a file of this MIME type apart, to compare its content with what was signed; undefined for other formats. */
export const readerFor = (mime: string | null): AssetReader | undefined => READERS[mime ?? '']

/** The claims of a whole file, with its content compared with what was signed. @throws Error where it is malformed */
export async function claimsOfFile(file: Uint8Array<ArrayBuffer>, reader: AssetReader): Promise<Evidence[]> {
  const asset = new reader(file)
  const jumbf = asset.getManifestJUMBF()
  return jumbf === undefined ? [] : readClaims(jumbf, asset)
}

/** The claims of a manifest store whose file cannot be checked. @throws Error where it is malformed */
export const claimsOfStore = (jumbf: Uint8Array): Promise<Evidence[]> => readClaims(jumbf, null)

async function readClaims(jumbf: Uint8Array, asset: Asset | null): Promise<Evidence[]> {
  refuseDeepNesting(Buffer.from(jumbf.buffer, jumbf.byteOffset, jumbf.byteLength))
  const store = ManifestStore.read(SuperBox.fromBuffer(new Uint8Array(jumbf)))
  const active = store.getActiveManifest()
  if (active === undefined) throw new Error('no claim')
  const others = store.manifests.filter((manifest) => manifest !== active).toReversed()
  return [
    evidenceOf(
      'c2pa',
      `c2pa credentials ${claim(active)} (${await checks(store, asset)}; signer not checked for trust)`,
    ),
    ...others
      .slice(0, MAX_CLAIMS - 1)
      .map((manifest) => evidenceOf('c2pa', `c2pa ingredient ${claim(manifest)} (not checked)`)),
  ]
}

/** By which program, signed by whom, and how the content is stated to have come about. */
function claim({ claim: stated, assertions, signature }: Manifest): string {
  const program = [stated?.claimGeneratorName, stated?.claimGeneratorVersion].filter(Boolean).join(' ')
  const actions = (assertions?.assertions ?? []).flatMap((each) =>
    each instanceof ActionAssertion ? each.actions : [],
  )
  const types = new Set(actions.flatMap(({ digitalSourceType: type }) => (type ? [sourceType(String(type))] : [])))
  const agents = new Set(actions.flatMap(({ softwareAgent: agent }) => (agent?.name ? [String(agent.name)] : [])))
  return [
    `by ${quote(program, MAX_NAME)}`,
    ...signer(signature),
    ...[...types].slice(0, 3).map((type) => `source type ${quote(type, MAX_NAME)}`),
    ...[...agents].slice(0, 2).map((agent) => `made with ${quote(agent, MAX_NAME)}`),
  ].join(', ')
}

function signer(signature: Manifest['signature']): string[] {
  const subject = signature?.signatureData.certificate?.subjectName
  const name = subject?.getField('O')[0] ?? subject?.getField('CN')[0]
  return name === undefined ? [] : [`signed as ${quote(name, MAX_NAME)}`]
}

async function checks(store: ManifestStore, asset: Asset | null): Promise<string> {
  if (asset === null) return 'content and signature not checked in this container'
  const codes = new Set<string>((await store.validate(asset)).statusEntries.map(({ code }) => code))
  const first = (meanings: Record<string, string>) => Object.entries(meanings).find(([code]) => codes.has(code))?.[1]
  return [
    first(SIGNATURE) ?? 'signature not verified',
    first(CONTENT) ?? 'content not compared',
    ...(codes.has(ValidationStatusCode.SigningCredentialExpired) ? ['certificate expired'] : []),
  ].join(', ')
}

/** Bad findings first: they count even next to good ones. */
const SIGNATURE = {
  [ValidationStatusCode.ClaimSignatureMismatch]: 'SIGNATURE DOES NOT FIT',
  [ValidationStatusCode.ClaimSignatureValidated]: 'signature fits',
}
const CONTENT = {
  [ValidationStatusCode.AssertionDataHashMismatch]: 'CONTENT CHANGED since',
  [ValidationStatusCode.AssertionBMFFHashMismatch]: 'CONTENT CHANGED since',
  [ValidationStatusCode.AssertionDataHashMatch]: 'content unchanged since',
  [ValidationStatusCode.AssertionBMFFHashMatch]: 'content unchanged since',
}

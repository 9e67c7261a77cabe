import { safeLine } from '../core/safe-output.js'
import type { Sandbox } from '../sandbox/create-sandbox.js'

/** What a program needs to use a sandbox, secrets included: they open nothing else. */
export function sandboxFacts(sandbox: Sandbox) {
  const { url, attesterKey, submitterKey, sessionToken, wallets, chain } = sandbox
  return { url, attesterKey, submitterKey, sessionToken, wallets, chain }
}

/** On what the hints depend: a command line can only name a key file that was written. */
export interface SandboxTextOptions {
  /** The folder that the attester's keys were written to, or null. */
  readonly secrets: string | null
  /** Whether the wallet-session API asks who calls. */
  readonly auth: boolean
}

/** The same for people, with command lines for both APIs. */
export function sandboxText(sandbox: Sandbox, { secrets, auth }: SandboxTextOptions): string {
  const { url, attesterKey, submitterKey, sessionToken, wallets } = sandbox
  const { chainId, contract, rpcUrl } = sandbox.chain
  const folder = safeLine(secrets ?? 'FOLDER')
  const hint = secrets === null ? '\n(FOLDER: name one with --secrets, and the key is written there.)' : ''
  return `The sandbox listens at ${url}  (docs: ${url}/docs, OpenAPI: ${url}/openapi.json)

Keys of the signed-key API (v1):
  attester   ${attesterKey.accessKey}  ${attesterKey.signingSecret}  (id ${attesterKey.id})
  submitter  ${submitterKey.accessKey}  ${submitterKey.signingSecret}  (id ${submitterKey.id})
  session    ${sessionToken}

Wallets of the wallet-session API, with their private keys${auth ? '' : ' (--no-auth: no sign-in needed)'}:
  attester   ${wallets.attester.address}  ${wallets.attester.privateKey}
  submitter  ${wallets.submitter.address}  ${wallets.submitter.privateKey}

Roles and stake, on a chain in memory:
  chain id   ${chainId}
  contract   ${contract}
  RPC        ${rpcUrl}

Run a daemon against it on the signed-key API:
  ATTESTD_SERVICE_URL=${url} ATTESTD_IPFS_GATEWAYS=${url} \\
  ATTESTD_ACCESS_KEY=${attesterKey.accessKey} ATTESTD_SIGNING_SECRET=${attesterKey.signingSecret} \\
  npx attestd run

and on the wallet-session API:
  ATTESTD_SERVICE_API=wallet-session ATTESTD_SERVICE_URL=${url} ATTESTD_IPFS_GATEWAYS=${url} \\
  ATTESTD_WALLET=local ATTESTD_WALLET_KEY_FILE="${folder}/wallet_key" \\
  ATTESTD_CHAIN_ID=${chainId} ATTESTD_RPC_URLS=${rpcUrl} \\
  ATTESTD_STAKE_CONTRACT=${contract} \\
  npx attestd run${hint}

Make a key as a submitter, and register a file with it:
  ATTESTD_SERVICE_URL=${url} \\
  ATTESTD_SESSION_TOKEN=${sessionToken} \\
  npx attestd keys create --kind submitter --out FOLDER

  ATTESTD_SERVICE_URL=${url} \\
  ATTESTD_ACCESS_KEY_FILE=FOLDER/access_key ATTESTD_SIGNING_SECRET_FILE=FOLDER/signing_secret \\
  npx attestd register FILE
`
}

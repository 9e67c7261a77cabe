import fs from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import type { Sandbox } from '../../sandbox/create-sandbox.js'

const WALLET_OF = { daemon: 'attester', submitter: 'submitter' } as const
type Side = keyof typeof WALLET_OF

/** The settings of both sides of the demo, by the API that they speak. @param folder takes the files of the keys */
export async function demoSettings(api: Settings['serviceApi'], sandbox: Sandbox, folder: string) {
  const common = { ATTESTD_SERVICE_URL: sandbox.url, ATTESTD_IPFS_GATEWAYS: sandbox.url, ATTESTD_SERVICE_API: api }
  const own = (side: Side) => (api === 'signed-key' ? keysOf(side, sandbox) : walletOf(side, sandbox, folder))
  return { daemon: { ...common, ...(await own('daemon')) }, submitter: { ...common, ...(await own('submitter')) } }
}

function keysOf(side: Side, { attesterKey, sessionToken, submitterKey }: Sandbox): Record<string, string> {
  const { accessKey, signingSecret } = side === 'daemon' ? attesterKey : submitterKey
  const key = { ATTESTD_ACCESS_KEY: accessKey, ATTESTD_SIGNING_SECRET: signingSecret }
  return side === 'daemon' ? key : { ...key, ATTESTD_SESSION_TOKEN: sessionToken }
}

async function walletOf(side: Side, sandbox: Sandbox, folder: string): Promise<Record<string, string>> {
  const name = WALLET_OF[side]
  const keyFile = path.join(folder, `${name}_key`)
  await fs.writeFile(keyFile, `${sandbox.wallets[name].privateKey}\n`, { mode: 0o600, flag: 'wx' })
  const { chainId, contract, rpcUrl } = sandbox.chain
  return {
    ATTESTD_WALLET: 'local',
    ATTESTD_WALLET_KEY_FILE: keyFile,
    ATTESTD_CHAIN_ID: String(chainId),
    ATTESTD_RPC_URLS: rpcUrl,
    ATTESTD_STAKE_CONTRACT: contract,
  }
}

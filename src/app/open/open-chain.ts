import type { Address } from 'viem'
import type { ChainReader } from '../../chain/chain-reader.js'
import { type ChainReaderOptions, createChainReader } from '../../chain/create-chain-reader.js'
import type { EasProfile } from '../../chain/eas/attestation.js'
import { easProfile } from '../../chain/eas/profile.js'
import { parseStakeAbi } from '../../chain/stake-abi.js'
import { StakeContract } from '../../chain/stake-contract.js'
import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { silentLog } from '../../core/log.js'

/** The chain of the settings. @throws AttestdError setting-missing where no RPC endpoint of the chain is known */
export function openChain(settings: Settings, own: Partial<ChainReaderOptions> = {}): ChainReader {
  return createChainReader({
    chainId: settings.chainId,
    rpcUrls: settings.rpcUrls,
    timeoutMs: settings.rpcTimeoutMs,
    maxBlockAgeMs: settings.blockMaxAgeMs,
    clock: systemClock,
    log: silentLog,
    ...own,
  })
}

/** The stake contract of the settings. @throws AttestdError setting-invalid */
export const stakeContractOf = ({ stakeAbi }: Settings, reader: ChainReader, address: Address): StakeContract =>
  new StakeContract({ reader, address, abi: parseStakeAbi(stakeAbi) })

/** How attestations are made by the settings. @throws AttestdError setting-invalid */
export function easProfileOf(settings: Settings): EasProfile {
  return easProfile({
    chainId: settings.chainId,
    contract: settings.easContract,
    domainVersion: settings.easDomainVersion,
    attestationVersion: settings.easAttestationVersion === '1' ? 1 : 2,
    schema: settings.easSchema,
    schemaUid: settings.easSchemaUid,
  })
}

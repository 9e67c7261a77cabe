import type { Address } from 'viem'
import type { ChainReader } from '../../chain/chain-reader.js'
import { rpcUrlsOf } from '../../chain/networks.js'
import type { StakeReading } from '../../chain/stake-contract.js'
import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { etherOf } from '../../core/ether.js'
import type { Stake } from '../../service/port.js'
import { type ServiceClock, statedOrLocal } from '../../service/service-clock.js'
import { compareEasVersion } from '../open/eas-version.js'
import { openChain, stakeContractOf } from '../open/open-chain.js'
import { check, type Diagnosis, failed, OUTSIDE_TIMEOUT_MS, skipped } from './diagnosis.js'
import { stakeText } from './service-text.js'

/**
 * What a wallet-session service is read by: RPC endpoints, stake contract, EAS.
 * @param account the wallet
 * @param service by whose time blocks are judged; absent where it was not asked
 */
export async function* diagnoseChain(
  settings: Settings,
  account: Address | null,
  service?: ServiceClock,
): AsyncIterable<Diagnosis> {
  yield* withReader(settings, service, async function* (reader) {
    yield* diagnoseStake(settings, reader, account, (reading) => {
      if (reading.roles.attester) return `${stakeText(reading)}; ${rolesText(reading)}`
      throw new AttestdError(
        'role-missing',
        `${account} is not an attester in the stake contract; ${rolesText(reading)}.`,
      )
    })
    yield await checkEas(settings, reader)
  })
}

/** Where the stake contract is set on a signed-key service: whether it states what the service does. */
export async function* diagnoseSecondOpinion(
  settings: Settings,
  reported: Stake | null,
  service?: ServiceClock,
): AsyncIterable<Diagnosis> {
  if (!settings.stakeContract) return
  yield* withReader(settings, service, (reader) =>
    diagnoseStake(settings, reader, settings.walletAddress ?? null, (reading) => {
      const { minStakeWei, stakedWei } = reading
      const isSame = reported === null || (reported.stakedWei === stakedWei && reported.minStakeWei === minStakeWei)
      if (isSame) return `${stakeText(reading)}${reported ? ', as the service reports' : ''}`
      const held = `The stake contract holds ${etherOf(stakedWei)} ether of at least ${etherOf(minStakeWei)}`
      const theirs = `the service reports ${etherOf(reported.stakedWei)} of ${etherOf(reported.minStakeWei)}`
      throw new AttestdError('stake-disagreement', `${held}, ${theirs}.`)
    }),
  )
}

/** Each endpoint for itself, by its origin: what follows in a URL may be a key. */
async function* diagnoseEndpoints(settings: Settings, service?: ServiceClock): AsyncIterable<Diagnosis> {
  const urls = rpcUrlsOf(settings)
  if (urls.length === 0)
    yield skipped('rpc', `ATTESTD_RPC_URLS is not set, and no public endpoint of chain ${settings.chainId} is known`)
  for (const url of urls) {
    yield await check('rpc', async () => {
      const reader = openReader({ ...settings, rpcUrls: [url] }, service)
      try {
        const { number, timestamp } = await reader.head()
        const age = Math.max(0, statedOrLocal(service, systemClock) / 1000 - timestamp).toFixed(1)
        return `${new URL(url).origin} is on chain ${settings.chainId}, block ${number} is ${age} s old`
      } finally {
        await reader.close()
      }
    })
  }
}

async function* diagnoseStake(
  settings: Settings,
  reader: ChainReader,
  account: Address | null,
  judge: (reading: StakeReading) => string,
): AsyncIterable<Diagnosis> {
  const { stakeContract } = settings
  if (!stakeContract) yield skipped('stake contract', 'ATTESTD_STAKE_CONTRACT is not set')
  else if (!account) yield skipped('stake contract', 'ATTESTD_WALLET_ADDRESS is not set')
  else {
    yield await check('stake contract', async () =>
      judge(await stakeContractOf(settings, reader, stakeContract).read(account)),
    )
  }
}

async function checkEas(settings: Settings, reader: ChainReader): Promise<Diagnosis> {
  const name = 'eas contract'
  try {
    const { message, state } = await compareEasVersion(settings, reader)
    return state === 'none' ? skipped(name, message) : { check: name, outcome: 'ok', message }
  } catch (error) {
    return failed(name, error)
  }
}

/** The endpoints, and what is read by them. */
async function* withReader(
  settings: Settings,
  service: ServiceClock | undefined,
  work: (reader: ChainReader) => AsyncIterable<Diagnosis>,
): AsyncIterable<Diagnosis> {
  yield* diagnoseEndpoints(settings, service)
  let reader: ReturnType<typeof openReader>
  try {
    reader = openReader(settings, service)
  } catch (error) {
    yield failed('chain', error)
    return
  }
  try {
    yield* work(reader)
  } finally {
    await reader.close()
  }
}

function openReader(settings: Settings, service: ServiceClock | undefined) {
  const timeoutMs = Math.min(settings.rpcTimeoutMs, OUTSIDE_TIMEOUT_MS)
  return openChain(settings, { timeoutMs, blockTime: () => service?.stated() ?? null })
}

function rolesText({ roles }: StakeReading): string {
  const held = (['attester', 'submitter'] as const).filter((role) => roles[role])
  return held.length === 0 ? 'the wallet has no role' : `roles: ${held.join(', ')}`
}

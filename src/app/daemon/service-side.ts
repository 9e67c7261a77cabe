import type { StakeReading } from '../../chain/stake-contract.js'
import type { StakeWatch } from '../../chain/stake-watch.js'
import type { AttestdError } from '../../core/errors.js'
import { Gate } from '../../pipeline/gate.js'
import { StakeReader } from '../../pipeline/stake-reader.js'
import { type OpenService, openService } from '../open/open-service.js'
import type { DaemonParts } from '../parts.js'
import type { Loops } from './loops.js'
import { StakeSecondOpinion } from './stake-second-opinion.js'

/** What intake and submission share on the side of the service. */
export interface ServiceSide {
  readonly opened: OpenService
  readonly gate: Gate
  readonly stake: StakeReader
  readonly contract: WatchedContract | null
}

/** The stake contract that is read again and again. */
export interface WatchedContract {
  readonly watch: Pick<StakeWatch, 'latest' | 'refresh' | 'run'>
  /** Why the last reading failed; null where it did not. */
  readonly trouble: AttestdError | null
  /** Time since stake and roles were last read, ms; null before. */
  readonly readAgeMs: number | null
  close(): Promise<void>
}

/**
 * Opens the service with its gate, and the stake contract: where the stake of a wallet-session service is read, and a
 * second opinion on what a signed-key service states.
 * @param loops lose the process where service and stake contract state that the wallet is no attester, and where attestations
 *   would be signed for another version of the EAS contract
 * @throws AttestdError of kind `setup`
 */
export async function openServiceSide(parts: DaemonParts, loops: Loops): Promise<ServiceSide> {
  const { clock, log, metrics, outages, settings } = parts
  let contract: WatchedContract | null = null
  const opened = await openService(parts, {
    confirmRole: () => confirmRole(contract),
    onRoleMissing: (error) => loops.lose(error),
  })
  const gate = new Gate({ clock, random: Math.random, serviceClock: opened.clock })
  const opinion = settings.serviceApi === 'signed-key' ? new StakeSecondOpinion({ metrics, outages }) : null
  const stake = new StakeReader({
    service: opened.service,
    gate,
    readContract: opinion ? undefined : async (signal) => contract?.watch.refresh(signal),
    clock,
    log,
    onStake: (read) => {
      metrics.setStake(read)
      opinion?.reported(read)
    },
    onRefused: () => metrics.stakeEnough.set({}, 0),
  })
  contract = await watchOf(parts, opened, loops, (reading) => {
    if (opinion) opinion.read(reading)
    else stake.readInContract(reading, reading.roles.attester)
  })
  return { opened, gate, stake, contract }
}

/** Whether the stake contract lists the wallet as an attester; not where none is set, null where it cannot be read. */
function confirmRole(contract: WatchedContract | null): Promise<boolean | null> {
  if (!contract) return Promise.resolve(false)
  return contract.watch.refresh().then(
    ({ roles }) => roles.attester,
    () => null,
  )
}

async function watchOf(
  { clock, log, metrics, settings }: DaemonParts,
  opened: OpenService,
  loops: Loops,
  onReading: (reading: StakeReading) => void,
): Promise<WatchedContract | null> {
  const account = opened.address ?? settings.walletAddress ?? null
  if (!settings.stakeContract || !account) return null
  const [{ openChain, stakeContractOf }, { easComparedFirst }, { StakeWatch }] = await Promise.all([
    import('../open/open-chain.js'),
    import('../open/eas-version.js'),
    import('../../chain/stake-watch.js'),
  ])
  const chain = openChain(settings, {
    clock,
    log,
    blockTime: () => opened.clock.stated(),
    onCall: ({ endpoint, outcome }) => metrics.rpcRequests.inc({ endpoint, outcome }),
  })
  let trouble: AttestdError | null = null
  const stakeContract = stakeContractOf(settings, chain, settings.stakeContract)
  const attests = settings.serviceApi === 'wallet-session' && settings.roles.includes('submit')
  const watch = new StakeWatch({
    contract: attests ? easComparedFirst(stakeContract, settings, chain, (error) => loops.lose(error)) : stakeContract,
    account,
    everyMs: settings.stakeEveryMs,
    clock,
    random: Math.random,
    log,
    onReading: (reading) => {
      trouble = null
      onReading(reading)
    },
    onTrouble: (error) => {
      trouble = error
    },
  })
  return {
    watch,
    get trouble() {
      return trouble
    },
    get readAgeMs() {
      return watch.latest && clock.monotonic() - watch.latest.atMs
    },
    close: () => chain.close(),
  }
}

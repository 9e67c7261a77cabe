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
  /** Null where no stake contract is set. */
  readonly contract: WatchedContract | null
}

/** The stake contract that is read again and again. */
export interface WatchedContract {
  readonly watch: Pick<StakeWatch, 'run' | 'latest'>
  /** Why the last reading failed; null where it did not. */
  readonly trouble: AttestdError | null
  close(): Promise<void>
}

/**
 * Opens the service with its gate, and the stake contract: where the stake of a wallet-session service is read, and a
 * second opinion on what a signed-key service says.
 * @param loops lose the process where the service says that the wallet is no attester
 * @throws AttestdError of kind `setup`
 */
export async function openServiceSide(parts: DaemonParts, loops: Loops): Promise<ServiceSide> {
  const { clock, metrics, options, outages, random } = parts
  const { settings, log } = options
  const opened = await openService(parts, (error) => loops.lose(error))
  const gate = new Gate({ clock, random, serviceClock: () => opened.clock.state() })
  const opinion = settings.serviceApi === 'signed-key' ? new StakeSecondOpinion({ metrics, outages }) : null
  const stake = new StakeReader({
    service: opened.service,
    gate,
    clock,
    log,
    onStake: (read) => {
      metrics.setStake(read)
      opinion?.reported(read)
    },
    onRefused: () => metrics.stakeEnough.set({}, 0),
  })
  const contract = await watchOf(parts, opened, (reading) => {
    if (opinion) opinion.read(reading)
    else stake.readInContract(reading, reading.roles.attester)
  })
  return { opened, gate, stake, contract }
}

async function watchOf(
  { clock, metrics, options, random }: DaemonParts,
  opened: OpenService,
  onReading: (reading: StakeReading) => void,
): Promise<WatchedContract | null> {
  const { settings, log } = options
  const account = opened.address ?? settings.walletAddress ?? null
  if (!settings.stakeContract || !account) return null
  const [{ openChain, stakeContractOf, witnessed }, { StakeWatch }] = await Promise.all([
    import('../open/open-chain.js'),
    import('../../chain/stake-watch.js'),
  ])
  const chain = openChain(settings, {
    clock,
    log,
    ...witnessed(opened.witnesses),
    onCall: ({ endpoint, outcome }) => metrics.rpcRequests.inc({ endpoint, outcome }),
  })
  let trouble: AttestdError | null = null
  const watch = new StakeWatch({
    contract: stakeContractOf(settings, chain, settings.stakeContract),
    account,
    everyMs: settings.stakeEveryMs,
    clock,
    random,
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
    close: () => chain.close(),
  }
}

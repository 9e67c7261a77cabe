import type http from 'node:http'
import { privateKeyToAccount } from 'viem/accounts'
import type { AttesterService } from '../../../src/service/port.js'
import type { ServiceOptions } from '../../../src/service/service-parts.js'
import { createSignedKeyService } from '../../../src/service/signed-key/attester-service.js'
import { createWalletSessionService } from '../../../src/service/wallet-session/create-wallet-session-service.js'
import { ACCESS_KEY, defaultsFor, LocalServer, type Seen, SIGNING_SECRET } from '../../service/local-service.js'
import { CHAIN_ID, startWalletService, WalletWorld } from '../../service/wallet-session/local-wallet-service.js'
import { KeptLog } from '../../support/kept-log.js'
import { ManualClock } from '../../support/manual-clock.js'

/** The API of one of the two documents. */
export type Api = 'signed-key' | 'wallet-session'
export const APIS: readonly Api[] = ['signed-key', 'wallet-session']

/** Answers the requests that are fuzzed; the rest is answered as it should be. */
export type Answer = (request: Seen, response: http.ServerResponse) => void

/** A real client of one API, and the real server that it asks. */
export interface FuzzedService {
  readonly service: AttesterService
  readonly world: WalletWorld | null
  /** What the client said of malformed parts, and its log lines. */
  readonly said: readonly string[]
  /** What must come back nowhere. */
  secrets(): readonly string[]
  close(): Promise<void>
}

const account = privateKeyToAccount(`0x${'5a'.repeat(32)}`)
const REQUEST_TIMEOUT_MS = 5000

/** Opens client and server of one input: sessions, clocks and pauses of the one before must not matter. */
export async function openFuzzedService(api: Api, answer: Answer): Promise<FuzzedService> {
  return api === 'signed-key' ? openSignedKey(answer) : openWalletSession(answer)
}

function optionsFor(server: LocalServer, log: KeptLog, said: string[]): ServiceOptions {
  return {
    ...defaultsFor(server.url),
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    streamIdleMs: REQUEST_TIMEOUT_MS,
    log,
    // Ids are told as they are: the service may call an asset what it likes.
    onMalformed: ({ message }) => said.push(message),
  }
}

async function openSignedKey(answer: Answer): Promise<FuzzedService> {
  const signatures: string[] = []
  const server = await LocalServer.start((request, response) => {
    signatures.push(String(request.headers['service-signature'] ?? SIGNING_SECRET))
    if (request.target !== '/api/v1/time') return answer(request, response)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ serverTime: Date.now() }))
  })
  const [log, said] = [new KeptLog(), [] as string[]]
  const { service, close } = createSignedKeyService({
    ...optionsFor(server, log, said),
    accessKey: ACCESS_KEY,
    signingSecret: SIGNING_SECRET,
  })
  return {
    service,
    world: null,
    get said() {
      return [...said, log.text]
    },
    secrets: () => [SIGNING_SECRET, ...signatures],
    close: () => close().then(() => server.stop()),
  }
}

async function openWalletSession(answer: Answer): Promise<FuzzedService> {
  const world = new WalletWorld(new ManualClock(Date.now()))
  const server = await startWalletService(world, answer)
  const [log, said] = [new KeptLog(), [] as string[]]
  const { service, close } = createWalletSessionService({
    ...optionsFor(server, log, said),
    chainId: CHAIN_ID,
    signer: account,
    role: 'attester',
    maxBlockAgeMs: 0,
    attest: async (_, time) => ({ uid: '0x01', message: { time: String(time) } }),
  })
  return {
    service,
    world,
    get said() {
      return [...said, log.text]
    },
    secrets: () => world.secrets,
    close: () => close().then(() => server.stop()),
  }
}

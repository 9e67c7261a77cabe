import type http from 'node:http'
import type { Risk } from '../../../src/core/risk.js'
import { ACCESS_KEY, type Seen, WIRE_STAKE, wireAsset } from '../../service/local-service.js'
import { OTHER_ADDRESS, specAsset, type WalletWorld } from '../../service/wallet-session/local-wallet-service.js'
import { mutatedBytes } from '../mutate/bytes.js'
import type { Chance } from '../mutate/chance.js'
import { mutatedJson } from '../mutate/json.js'
import { judge } from '../verdict.js'
import type { Api, FuzzedService } from './fuzzed-service.js'
import { BOUNDS, serviceTarget } from './service-target.js'

const ID = 'a1'
const SCORE_RECORD = { id: 's1', assetId: ID, attesterAddress: OTHER_ADDRESS, deepfakeRiskScore: 30 }
const SCORE = { assetId: ID, contentHash: `0x${'ab'.repeat(32)}`, risk: 0.3 as Risk, algorithm: 'a@1', notes: 'n' }

const REPLIES: Readonly<Record<Api, readonly unknown[]>> = {
  'signed-key': [
    { assets: [wireAsset(ID), wireAsset('a2', { myScore: { submitted: false } })], stake: WIRE_STAKE },
    wireAsset(ID, { myScore: { submitted: true, deepfakeRiskScore: 30 } }),
    { score: SCORE_RECORD, aggregate: {} },
  ],
  'wallet-session': [
    { assets: [specAsset(ID), specAsset('a2')] },
    { asset: specAsset(ID), scores: [{ attesterAddress: OTHER_ADDRESS, deepfakeRiskBps: 3000 }], aggregate: {} },
    { score: { ...SCORE_RECORD, deepfakeRiskBps: 3000 }, aggregate: {} },
  ],
}
const STATUSES = [201, 204, 206, 301, 400, 401, 403, 404, 408, 409, 410, 425, 429, 500, 503, 599]
const TYPES = ['application/json', 'application/problem+json', 'text/html', 'application/json; charset=utf-16', '']
const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'retry-after': '-1' },
  { 'retry-after': '99999999999999999999' },
  { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
  { date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
  { age: '1e309' },
  { location: 'file:///etc/passwd' },
]

/** Answers to every request of both APIs, changed, through their clients over real connections. */
export const replies = serviceTarget({ name: 'replies', counts: 'others', ending: 'json' }, (api, chance) => {
  const answers: string[] = []
  return {
    answer: (request, response) => answers.push(answer(REPLIES[api], request, response, chance)),
    sent: () => answers.join('\n'),
    async use(opened) {
      if (opened.world && chance.happens(0.5)) mutateSession(opened.world, chance)
      const call = chance.pick(CALLS)
      return [await judge(() => call(opened), { ...BOUNDS, secrets: opened.secrets })]
    },
  }
})

const CALLS: readonly ((opened: FuzzedService) => Promise<unknown>)[] = [
  ({ service }) => service.listOpen({ includeMyScore: true }),
  ({ service }) => service.find(ID),
  ({ service }) => service.submit(SCORE, Date.now()),
]

/** @returns what was answered, for the file of a bad input */
function answer(shapes: readonly unknown[], request: Seen, response: http.ServerResponse, chance: Chance): string {
  // A service that repeats what it was sent.
  const echo = [request.headers.authorization, request.headers['service-signature'], ACCESS_KEY].filter(Boolean)
  const json = JSON.stringify(mutatedJson(chance.pick(shapes), chance, echo))
  const body = chance.happens(0.2) ? mutatedBytes(Buffer.from(json), chance, chance.bytes(50)) : Buffer.from(json)
  const status = chance.happens(0.7) ? 200 : chance.pick(STATUSES)
  const type = chance.happens(0.9) ? 'application/json' : chance.pick(TYPES)
  response.writeHead(status, { 'content-type': type, ...(chance.happens(0.2) ? chance.pick(ODD_HEADERS) : {}) })
  response.end(body)
  return `${status} ${type} ${body.toString('utf8')}`
}

function mutateSession(world: WalletWorld, chance: Chance): void {
  const record = (value: unknown) => mutatedJson(value, chance) as Record<string, unknown>
  const facts = { number: 7, timestamp: world.chainTime, chainId: 84532 }
  chance.pick([
    () => Object.assign(world, { challenge: record({ message: 'm', nonce: 'n', expiresAt: 1 }) }),
    () => Object.assign(world, { session: record({ token: 't'.repeat(20), expiresAt: 2e9, roles: ['attester'] }) }),
    () => Object.assign(world, { chain: { status: 200, reply: record({ latestBlock: facts }) } }),
    () => world.refuseSessions.push(chance.pick(STATUSES)),
    () => world.refuseChallenges.push(chance.pick(STATUSES)),
  ])()
}

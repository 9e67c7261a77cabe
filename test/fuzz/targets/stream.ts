import type { ServiceEvent } from '../../../src/service/port.js'
import { WIRE_STAKE, wireAsset } from '../../service/local-service.js'
import { specAsset } from '../../service/wallet-session/local-wallet-service.js'
import { mutatedBytes } from '../mutate/bytes.js'
import type { Chance } from '../mutate/chance.js'
import { mutatedJson } from '../mutate/json.js'
import { judge, ofReason, secretIn, type Verdict } from '../verdict.js'
import type { Api, FuzzedService } from './fuzzed-service.js'
import { BOUNDS, serviceTarget } from './service-target.js'

/** Events of one connection. */
const EVENTS_MAX = 60

const EVENTS: Readonly<Record<Api, readonly [name: string, data: unknown][]>> = {
  'signed-key': [
    ['ready', { stake: WIRE_STAKE }],
    ['open-assets', { ids: ['a1', 'a2'], assets: [wireAsset('a1'), wireAsset('a2')] }],
    ['new-open-assets', { ids: ['a3'], assets: [wireAsset('a3')] }],
    ['ping', { t: 1 }],
    ['error', { message: 'out of order' }],
  ],
  'wallet-session': [
    ['snapshot', [specAsset('a1'), specAsset('a2')]],
    ['snapshot', { assets: [specAsset('a1')], ids: ['a1'] }],
    ['new-asset', specAsset('a3')],
    ['new-asset', { asset: specAsset('a4') }],
    ['new-asset', { id: 'a5' }],
  ],
}

/** Bytes of event streams, changed, through the readers of both APIs over a real connection. */
export const stream = serviceTarget({ name: 'stream', counts: 'events', ending: 'stream' }, (api, chance) => {
  const input = streamBytes(api, chance)
  const pieces = 1 + chance.below(8)
  return {
    answer(request, response) {
      if (!request.target.includes('stream')) return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const size = Math.ceil(input.length / pieces)
      for (let at = 0; at < input.length; at += size) response.write(input.subarray(at, at + size))
      response.end()
    },
    sent: () => input,
    use: follow,
  }
})

/** Reads one connection to its end. */
async function follow(opened: FuzzedService): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  const stop = new AbortController()
  const whole = await judge(async () => {
    for await (const event of opened.service.watch(stop.signal)) {
      verdicts.push(verdictOf(event, opened))
      if (event.kind === 'trouble' && event.retryInMs !== undefined) stop.abort()
    }
  }, BOUNDS)
  stop.abort()
  return [...verdicts, ...(whole.wrong === null ? [] : [whole])]
}

function verdictOf(event: ServiceEvent, opened: FuzzedService): Verdict {
  if (secretIn(JSON.stringify(event, plain), opened.secrets()))
    return { outcome: 'secret', wrong: 'an event repeats a secret' }
  return event.kind === 'trouble' ? ofReason(event.reason, event.message) : { outcome: event.kind, wrong: null }
}

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

function streamBytes(api: Api, chance: Chance): Buffer {
  const count = 1 + chance.below(EVENTS_MAX)
  const end = chance.pick(['\n', '\n', '\r\n', '\r'])
  const text = Array.from({ length: count }, () => oneEvent(api, chance, end)).join('')
  const bytes = Buffer.from(text)
  return chance.happens(0.3) ? mutatedBytes(bytes, chance, chance.bytes(200)) : bytes
}

function oneEvent(api: Api, chance: Chance, end: string): string {
  const [name, data] = chance.pick(EVENTS[api])
  const shown = chance.happens(0.9) ? name : chance.pick(['', 'constructor', '\u001b[2J', 'x'.repeat(3000), 'ready'])
  const json = JSON.stringify(chance.happens(0.7) ? mutatedJson(data, chance) : data)
  const lines = [
    `event: ${shown}`,
    ...(chance.happens(0.2) ? [`id: ${chance.pick(['1', '', '\u0000', 'ä', 'x'.repeat(2000)])}`] : []),
    ...(chance.happens(0.1) ? [chance.pick([':', 'retry: 0', 'data', 'x'.repeat(100), 'data:[', 'data: }'])] : []),
    ...(chance.happens(0.1) ? json.split(',').map((part) => `data: ${part}`) : [`data: ${json}`]),
  ]
  return `${lines.join(end)}${end}${end}`
}

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'vitest'
import type { ChainReader } from '../../src/chain/chain-reader.js'
import { createChainReader } from '../../src/chain/create-chain-reader.js'
import { systemClock } from '../../src/core/clock.js'
import { silentLog } from '../../src/core/log.js'
import { endServer, listen, urlOf } from './local-server.js'

export interface RpcQuestion {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  /** Path and query that were asked. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** What the server answers: a result, or the whole answer by hand; `never` leaves the connection open, `drip` goes on with a byte at a time. */
export type RpcReply =
  | { readonly result: unknown }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  | 'never'
  | 'half'
  | 'drip'
  | 'cut'

export interface RpcServer {
  readonly url: string
  readonly asked: RpcQuestion[]
  /** May be changed between questions; undefined leaves a question to the good answers. */
  reply: (question: RpcQuestion) => RpcReply | undefined
}

export interface RpcServerOptions {
  readonly chainId?: number
  /** Unix milliseconds; the latest block is of this moment. */
  readonly now: () => number
}

const DRIP_MS = 20

/** A reader of one endpoint on the clock of the system. */
export function chainReaderFor({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, rpcUrl: string): ChainReader {
  const limits = { timeoutMs: 10_000, maxBlockAgeMs: 3_600_000 }
  const reader = createChainReader({ chainId: 84532, rpcUrls: [rpcUrl], ...limits, clock: systemClock, log: silentLog })
  onTestFinished(() => reader.close())
  return reader
}

/** A JSON-RPC endpoint that says what a test wants, and by default is one of a healthy chain without contracts. */
export async function rpcServerFor(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  { chainId = 84532, now }: RpcServerOptions,
): Promise<RpcServer> {
  const good = ({ method }: RpcQuestion): RpcReply => {
    if (method === 'eth_chainId') return { result: hex(chainId) }
    if (method === 'eth_getBlockByNumber')
      return { result: { number: '0x7', timestamp: hex(Math.floor(now() / 1000)) } }
    return { result: '0x' }
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
      const question = { id, method, params, path: request.url ?? '', headers: request.headers }
      state.asked.push(question)
      const reply = state.reply(question) ?? good(question)
      if (reply === 'never') return
      if (reply === 'cut') return response.destroy()
      if (reply === 'half') return response.write('{"jsonrpc":')
      if (reply === 'drip') {
        const timer = setInterval(() => response.write(' '), DRIP_MS)
        return response.on('close', () => clearInterval(timer))
      }
      if ('result' in reply) return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: reply.result }))
      response.writeHead(reply.status ?? 200, reply.headers).end(reply.text)
    })
  })
  await listen(server)
  onTestFinished(() => endServer(server))
  const state: RpcServer = { url: urlOf(server), asked: [], reply: () => undefined }
  return state
}

const hex = (value: number) => `0x${value.toString(16)}`

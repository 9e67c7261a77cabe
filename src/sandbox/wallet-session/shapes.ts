import type { FastifyInstance } from 'fastify'

type Reply = Readonly<Record<string, unknown>>

/** Shapes beyond `choices.ts` that wallet-session-api.md leaves open: a test states by them what becomes of ours. */
export interface WalletSessionShapes {
  /** Replies, by method and path of their route. */
  readonly replies?: Readonly<Record<string, (reply: Reply) => unknown>>
  readonly event?: (assets: readonly { readonly id: string }[]) => unknown
  readonly challenge?: (text: string) => string
}

/** Makes the answers of these routes take the other shapes. */
export function speakShapes(app: FastifyInstance, { replies = {} }: WalletSessionShapes): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const reshape = replies[`${request.method} ${request.routeOptions.url}`]
    if (reshape === undefined || reply.statusCode >= 300 || typeof payload !== 'string') return payload
    return JSON.stringify(reshape(JSON.parse(payload)))
  })
}

import http from 'node:http'
import { HOSTILE } from './hostile-texts.js'
import { endServer, listen, urlOf } from './local-server.js'

/** Fields of JSON answers that a service fills with any text it likes. */
const OWN_WORDS = new Set(['service', 'display', 'warning', 'message', 'code', 'id'])

export interface HostileFront {
  readonly url: string
  close(): Promise<void>
}

/**
 * Stands before a service and changes its JSON answers alone: each text of its own gets hostile signs.
 * @param refuse paths whose requests are refused with 403 and a hostile message
 */
export async function startHostileFront(origin: string, refuse: RegExp = /^$/): Promise<HostileFront> {
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url = '/' } = request
    if (refuse.test(url)) return answer(response, 403, { error: { code: HOSTILE, message: HOSTILE } })
    // What fetch states itself: with another one beside it some versions refuse the request.
    const { connection: _, host: __, 'transfer-encoding': ___, 'content-length': ____, ...headers } = request.headers
    const body = method === 'GET' || method === 'DELETE' ? null : Buffer.concat(chunks)
    const reply = await fetch(new URL(url, origin), { method, headers: headers as Record<string, string>, body })
    answer(response, reply.status, await reply.json())
  })
  await listen(server)
  return { url: urlOf(server), close: () => endServer(server) }
}

function answer(response: http.ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json, spoiled))
}

function spoiled(name: string, value: unknown): unknown {
  return OWN_WORDS.has(name) && typeof value === 'string' ? `${value}${HOSTILE}` : value
}

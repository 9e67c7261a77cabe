import http from 'node:http'
import { onTestFinished, type TestContext } from 'vitest'
import { endServer, listen, urlOf } from './local-server.js'

/** One request as it went over the wire, with the status it was answered with. */
export interface Recorded {
  readonly method: string
  /** Path and query as they came. */
  readonly target: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  status: number | null
}

/** Answers a request itself; false passes it on. */
export type Stand = (request: Recorded, response: http.ServerResponse) => boolean | Promise<boolean>

/** Stands between a client and a service, keeps every request, and answers itself where the test wants so. */
export class WireRecorder {
  readonly requests: Recorded[] = []
  /** Answers instead of the service while it is set. */
  stand: Stand | null = null
  readonly #server: http.Server
  #target: URL

  protected constructor(target: string) {
    this.#target = new URL(target)
    this.#server = http.createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => void this.#record(request, Buffer.concat(parts), response))
    })
  }

  static async start(target: string): Promise<WireRecorder> {
    return new WireRecorder(target).listen()
  }

  /** The same until the test ends. @param context of a test that runs beside others, which vitest cannot find by itself */
  static async forTest(
    target: string,
    context: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
  ): Promise<WireRecorder> {
    const recorder = await WireRecorder.start(target)
    context.onTestFinished(() => recorder.close())
    return recorder
  }

  get url(): string {
    return urlOf(this.#server)
  }

  protected async listen(): Promise<this> {
    await listen(this.#server)
    return this
  }

  /** From now on requests go to another service. */
  passTo(target: string): void {
    this.#target = new URL(target)
  }

  /** Requests of a route, whatever their query, in order. */
  to(method: string, path: string): Recorded[] {
    return this.requests.filter((one) => one.method === method && one.target.split('?')[0] === path)
  }

  /** The last request of a route. @throws where there was none */
  last(method: string, path: string): Recorded {
    const found = this.to(method, path).at(-1)
    if (found === undefined) throw new Error(`no ${method} ${path} among ${this.#targets()}`)
    return found
  }

  /** Every bearer token that was sent. */
  tokens(): Set<string> {
    const sent = this.requests.map(({ headers }) => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1])
    return new Set(sent.filter((token) => token !== undefined))
  }

  /** Everything that was sent, as one text to search. */
  sent(): string {
    return this.requests.map((one) => JSON.stringify([one.target, one.headers, one.body])).join('\n')
  }

  close(): Promise<void> {
    return endServer(this.#server)
  }

  async #record(request: http.IncomingMessage, body: Buffer, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const recorded: Recorded = { method, target: url, headers, body: body.toString('utf8'), status: null }
    this.requests.push(recorded)
    response.on('finish', () => {
      recorded.status ??= response.statusCode
    })
    if (this.stand !== null && (await this.stand(recorded, response))) return
    await this.take(recorded, body, response)
  }

  /** What becomes of a request that no stand answered. */
  protected async take(recorded: Recorded, body: Buffer, response: http.ServerResponse): Promise<void> {
    this.pass(recorded, body, response, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode!, answer.headers))
    })
  }

  protected pass(
    recorded: Recorded,
    body: Buffer,
    response: http.ServerResponse,
    onAnswer: (answer: http.IncomingMessage) => void,
  ): void {
    const { hostname, port } = this.#target
    const { method, target: path, headers } = recorded
    const onward = http.request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      recorded.status = answer.statusCode ?? null
      answer.on('error', () => response.destroy())
      onAnswer(answer)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    onward.end(body)
  }

  #targets(): string {
    return JSON.stringify(this.requests.map(({ method, target }) => `${method} ${target}`))
  }
}

/** A stand that breaks every connection. */
export const breaking: Stand = (_request, response) => {
  response.destroy()
  return true
}

/** A stand that gives every request of a path the same JSON answer. */
export function answering(path: string, status: number, value: unknown): Stand {
  return (request, response) => {
    if (request.target.split('?')[0] !== path) return false
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify(value))
    return true
  }
}

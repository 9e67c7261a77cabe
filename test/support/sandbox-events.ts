import http from 'node:http'
import { type SigningKey, signatureHeaders } from './sandbox-requests.js'

export interface SeenEvent {
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of many shapes
  readonly data: any
}

interface StreamRequest {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** A raw reader of the sandbox's stream: keeps every event, and says how the stream ended. */
export class StreamProbe {
  readonly events: SeenEvent[] = []
  readonly status: Promise<number>
  /** `clean` where the server ended it, `broken` where the connection went. */
  readonly ended: Promise<'clean' | 'broken'>
  /** All text so far. */
  text = ''
  response: http.IncomingMessage | null = null
  readonly #request: http.ClientRequest
  #wake: () => void = () => {}

  /** @param from the key of the signed-key API's stream, or the path and headers of another one */
  constructor(url: string, from: SigningKey | StreamRequest) {
    const { hostname, port } = new URL(url)
    const { target: path, headers } = 'target' in from ? from : signedStream(from)
    this.#request = http.request({ hostname, port, path, headers, agent: false })
    const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
      this.#request.on('response', resolve)
      this.#request.on('error', reject)
    })
    this.status = answered.then((response) => response.statusCode ?? 0)
    this.ended = answered.then((response) => this.#read(response))
    this.ended.catch(() => {})
    this.status.catch(() => {})
    this.#request.end()
  }

  /** Resolves with the first event of this name from the `from`th event on, when it is there. */
  async event(name: string, from = 0): Promise<SeenEvent> {
    for (;;) {
      const found = this.events.slice(from).find((event) => event.name === name)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  close(): void {
    this.#request.destroy()
  }

  #read(response: http.IncomingMessage): Promise<'clean' | 'broken'> {
    this.response = response
    response.setEncoding('utf8')
    let rest = ''
    response.on('data', (text: string) => {
      this.text += text
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
      this.#wake()
    })
    return new Promise((resolve) => {
      response.on('end', () => resolve('clean'))
      response.on('error', () => resolve('broken'))
      response.on('close', () => resolve(response.complete ? 'clean' : 'broken'))
    })
  }

  #take(block: string): void {
    const field = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    const data = field('data') ?? ''
    this.events.push({ name: field('event') ?? '', data: json(data) })
  }
}

function signedStream(key: SigningKey): StreamRequest {
  const target = '/api/v1/attester/media/stream'
  return { target, headers: signatureHeaders(key, { method: 'GET', target }) }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

import { EventEmitter } from 'node:events'
import type { PgPoolClient, PgQueryResult } from 'bullmq'

/** What a client asks of the pool, which hands all of them on to the one session of the database thread. */
export interface ClientHost {
  query<Row>(text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>>
  listen(channel: string): Promise<void>
  release(client: PgliteClient): void
}

const LISTEN = /^(?:\s*--[^\n]*\n)*\s*LISTEN\s+(\w+)\s*;?\s*$/i

/** What BullMQ takes for its own connection: all share one session, whose notifications reach every client. */
export class PgliteClient extends EventEmitter implements PgPoolClient {
  /** Set by BullMQ for workers, so that they can be listed. */
  applicationName = ''
  readonly #host: ClientHost

  constructor(host: ClientHost) {
    super()
    this.setMaxListeners(0)
    this.#host = host
  }

  // biome-ignore lint/suspicious/noExplicitAny: the row type of BullMQ's interface
  async query<Row = any>(text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>> {
    const channel = LISTEN.exec(text)?.[1]
    if (channel) {
      await this.#host.listen(channel)
      return { rows: [] }
    }
    if (text.includes("set_config('application_name'")) {
      this.applicationName = String(params?.[0] ?? '')
      return { rows: [] }
    }
    return this.#host.query<Row>(text, params)
  }

  release(): void {
    this.removeAllListeners()
    this.#host.release(this)
  }
}

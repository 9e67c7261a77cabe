import { type PGlite, parse, protocol } from '@electric-sql/pglite'
import type { QueryRows } from './thread-messages.js'

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>

interface Statement {
  readonly name: string
  readonly paramTypes: readonly number[]
  /** The row description, absent for statements without rows. */
  readonly shape: Messages[number] | undefined
}

/**
 * Runs single statements as prepared ones, which is several times faster than a fresh parse each. Parse and describe
 * happen once a text: BullMQ has about 100, and no value stands in them.
 */
export class StatementCache {
  readonly #db: PGlite
  readonly #statements = new Map<string, Statement>()
  #named = 0

  constructor(db: PGlite) {
    this.#db = db
  }

  /** One at a time. */
  async run(text: string, params: readonly unknown[]): Promise<QueryRows> {
    const statement = await this.#prepare(text)
    const values = statement.paramTypes.map((type, i) => this.#encode(type, params[i]))
    const messages = await this.#send(
      protocol.serialize.bind({ statement: statement.name, values }),
      protocol.serialize.execute({}),
    )
    const all = statement.shape ? [statement.shape, ...messages] : messages
    const result = parse.parseResults(all, this.#db.parsers)[0]
    const rows = result?.rows ?? []
    return { rows, rowCount: result?.affectedRows || rows.length }
  }

  async #prepare(text: string): Promise<Statement> {
    const known = this.#statements.get(text)
    if (known) return known
    const name = `attestd_${this.#named++}`
    const messages = await this.#send(
      protocol.serialize.parse({ name, text }),
      protocol.serialize.describe({ type: 'S', name }),
    )
    const paramTypes = parse.parseDescribeStatementResults(messages)
    const shape = messages.find((message) => message.name === 'rowDescription')
    const statement = { name, paramTypes, shape }
    this.#statements.set(text, statement)
    return statement
  }

  #encode(type: number, value: unknown): string | null {
    if (value === null || value === undefined) return null
    const serialize = this.#db.serializers[type]
    return serialize ? serialize(value) : String(value)
  }

  /** PostgreSQL writes to the file system itself: there is nothing to sync to it. */
  async #send(...messages: Uint8Array[]): Promise<Messages> {
    return this.#db.execProtocolStream(Buffer.concat([...messages, protocol.serialize.sync()]), { syncToFs: false })
  }
}

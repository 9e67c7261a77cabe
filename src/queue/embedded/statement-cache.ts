import { type PGlite, parse, protocol } from '@electric-sql/pglite'
import type { QueryRows } from './thread-messages.js'

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>

interface Statement {
  readonly name: string
  readonly paramTypes: readonly number[]
  /** The row description, absent for statements without rows. */
  readonly shape: Messages[number] | undefined
}

/** More than the distinct statements of BullMQ (about 100), so that eviction is for strays only. */
const DEFAULT_CAPACITY = 200

/**
 * Runs single statements as prepared ones, which is several times faster than a fresh parse each.
 * Parse and describe happen once a text; the least recently used statement is closed when there are too many.
 */
export class StatementCache {
  readonly #db: PGlite
  readonly #capacity: number
  readonly #statements = new Map<string, Statement>()
  #named = 0

  constructor(db: PGlite, capacity = DEFAULT_CAPACITY) {
    this.#db = db
    this.#capacity = capacity
  }

  get size(): number {
    return this.#statements.size
  }

  run(text: string, params: readonly unknown[]): Promise<QueryRows> {
    return this.#db.runExclusive(async () => {
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
    })
  }

  async #prepare(text: string): Promise<Statement> {
    const known = this.#statements.get(text)
    if (known) {
      this.#statements.delete(text)
      this.#statements.set(text, known)
      return known
    }
    if (this.#statements.size >= this.#capacity) await this.#evictOldest()
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

  async #evictOldest(): Promise<void> {
    const oldest = this.#statements.entries().next().value
    if (!oldest) return
    const [text, { name }] = oldest
    this.#statements.delete(text)
    await this.#send(protocol.serialize.close({ type: 'S', name }))
  }

  #encode(type: number, value: unknown): string | null {
    if (value === null || value === undefined) return null
    const serialize = this.#db.serializers[type]
    return serialize ? serialize(value) : String(value)
  }

  async #send(...messages: Uint8Array[]): Promise<Messages> {
    return this.#db.execProtocolStream(Buffer.concat([...messages, protocol.serialize.sync()]))
  }
}

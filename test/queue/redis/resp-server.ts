import net from 'node:net'
import { listen, portOf } from '../../support/local-server.js'

/**
 * An answer: text as a bulk string, or as a status where it begins with +; null as none, an Error as a refusal, a number,
 * a list of any of them; undefined: silence.
 */
export type RespAnswer = string | number | null | Error | readonly RespAnswer[] | undefined

/** As much of a Redis as a connection needs that is only looked at: commands in, stated answers out, over real sockets. */
export class RespServer {
  /** Commands as they came, in upper case the first word. */
  readonly commands: string[][] = []
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  answer: (command: string[]) => RespAnswer

  private constructor(answer: (command: string[]) => RespAnswer) {
    this.answer = answer
    this.#server = net.createServer((socket) => this.#serve(socket))
  }

  static async start(answer: (command: string[]) => RespAnswer): Promise<RespServer> {
    const server = new RespServer(answer)
    await listen(server.#server)
    return server
  }

  get port(): number {
    return portOf(this.#server)
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    let pending = ''
    socket.on('data', (data) => {
      pending += data.toString()
      for (let read = readCommand(pending); read !== null; read = readCommand(pending)) {
        pending = pending.slice(read.length)
        const [name = '', ...rest] = read.command
        this.commands.push([name.toUpperCase(), ...rest])
        const answer = this.answer([name.toUpperCase(), ...rest])
        if (answer !== undefined) socket.write(encoded(answer))
      }
    })
  }
}

/** The first command of a text, an array of bulk strings or one line; null where it is not whole. ASCII only. */
function readCommand(text: string): { command: string[]; length: number } | null {
  const [head = '', ...lines] = text.split('\r\n')
  if (lines.length === 0) return null
  if (!head.startsWith('*')) return { command: head.split(' '), length: head.length + 2 }
  const count = Number(head.slice(1))
  const parts = lines.slice(0, 2 * count)
  if (lines.length <= 2 * count) return null
  const command = parts.filter((_, index) => index % 2 === 1)
  return { command, length: [head, ...parts].reduce((sum, part) => sum + part.length + 2, 0) }
}

function encoded(answer: RespAnswer): string {
  if (answer === null || answer === undefined) return '$-1\r\n'
  if (typeof answer === 'number') return `:${answer}\r\n`
  if (answer instanceof Error) return `-${answer.message}\r\n`
  if (typeof answer === 'string' && answer.startsWith('+')) return `${answer}\r\n`
  if (typeof answer === 'string') return `$${Buffer.byteLength(answer)}\r\n${answer}\r\n`
  return `*${answer.length}\r\n${answer.map(encoded).join('')}`
}

import net from 'node:net'
import { listen, portOf } from './local-server.js'

/** A line to a port on this host that can be cut for one client while the others go on, or keep back what comes from there. */
export class TcpProxy {
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  #port = 0
  #wanted: string | null = null
  #kept: (() => void)[] | null = null
  /** Whether a command about what was asked for has been passed on since. */
  passed = false

  static async to(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    await proxy.join()
    return proxy
  }

  private constructor(target: number) {
    this.#server = net.createServer((near) => {
      const far = net.connect(target, '127.0.0.1')
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
      }
      near.on('data', (chunk) => {
        if (this.#wanted !== null && chunk.includes(this.#wanted)) this.passed = true
        far.write(chunk)
      })
      far.on('data', (chunk) => {
        if (this.#kept === null) near.write(chunk)
        else this.#kept.push(() => near.write(chunk))
      })
    })
  }

  get port(): number {
    return this.#port
  }

  /** Ends all connections and refuses new ones. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /** Takes connections, again on the same port. */
  async join(): Promise<void> {
    this.#port = portOf(await listen(this.#server, this.#port))
  }

  /** Keeps all answers back from now on. @param key `passed` shows that a command about it came */
  hold(key: string): void {
    this.#wanted = key
    this.#kept = []
  }

  release(): void {
    for (const write of this.#kept ?? []) write()
    this.#kept = null
  }
}

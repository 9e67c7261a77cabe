import net from 'node:net'

/** A line to a port on this host that can be cut for one client while the others go on. */
export class CutProxy {
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  #port = 0

  static async to(target: number): Promise<CutProxy> {
    const proxy = new CutProxy(target)
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
      near.pipe(far).pipe(near)
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
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as net.AddressInfo).port
  }
}

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { onTestFinished, type TestContext } from 'vitest'

const HOST = '127.0.0.1'

/** Lets a server listen on this machine. @param port @default any that is free */
export async function listen<S extends net.Server>(server: S, port = 0): Promise<S> {
  server.listen(port, HOST)
  await once(server, 'listening')
  return server
}

export const portOf = (server: net.Server): number => (server.address() as net.AddressInfo).port

/** Where a server of HTTP is reached. */
export const urlOf = (server: net.Server): string => `http://${HOST}:${portOf(server)}`

/** Ends a server with all connections to it; resolves when it is gone. */
export async function endServer(server: net.Server & { closeAllConnections?(): void }): Promise<void> {
  server.closeAllConnections?.()
  await new Promise((resolve) => server.close(resolve))
}

/**
 * The URL of a server that answers so until the test ends.
 * @param context of a test that runs beside others, which vitest cannot find by itself
 */
export async function urlAnswering(
  answer: http.RequestListener,
  context: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<string> {
  const server = await listen(http.createServer(answer))
  context.onTestFinished(() => endServer(server))
  return urlOf(server)
}

/** A port of this machine that nobody uses, and that the system gives to nobody who asks for any (Linux: 32768 and more). */
export async function freePort(): Promise<number> {
  const port = randomInt(15_000, 32_000)
  const server = await listen(net.createServer(), port).catch(() => null)
  if (server === null) return freePort()
  await endServer(server)
  return port
}

/** An address of this machine at which nothing listens. */
export const deadUrl = async (): Promise<string> => `http://${HOST}:${await freePort()}`

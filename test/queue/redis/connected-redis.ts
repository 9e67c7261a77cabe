import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { type RespAnswer, RespServer } from './resp-server.js'

/** A client of a server that answers as told, both of which end with the test; `commands` are the scripts and waits. */
export async function connected(answer: (command: string[]) => RespAnswer) {
  const server = await RespServer.start((command) => (command[0] === 'CLIENT' ? '+OK' : answer(command)))
  const redis = new Redis({
    port: server.port,
    host: '127.0.0.1',
    lazyConnect: true,
    enableReadyCheck: false,
    protocol: 2,
  })
  onTestFinished(async () => {
    redis.disconnect()
    await server.stop()
  })
  await redis.connect()
  const commands = () => server.commands.filter(([name]) => name === 'EVAL' || name === 'WAIT')
  return { commands, redis }
}

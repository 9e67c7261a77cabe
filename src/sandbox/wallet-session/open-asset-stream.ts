import type { FastifyReply } from 'fastify'
import type { InjectedFault } from '../faults/faults.js'
import { StreamConnection } from '../stream/stream-connection.js'
import { playStreamFault } from '../stream/stream-faults.js'
import type { World } from '../world.js'
import type { WalletSession } from './session-issuer.js'
import { listedAssetView } from './views.js'

const EVENTS = { snapshot: 'snapshot', opened: 'new-asset' } as const

/** Opens the event stream of a session, and keeps it until either side or the session ends. */
export function openAssetStream(
  world: World,
  session: WalletSession,
  reply: FastifyReply,
  fault: InjectedFault | null,
): void {
  const connection = new StreamConnection(world, reply)
  if (playStreamFault(connection, fault, EVENTS) === 'silent') return
  void follow(world, session, connection, fault?.kind === 'missed-events')
  void connection.beat(() => connection.raw(': ping\n\n'))
}

/**
 * A snapshot, then every few seconds what opened since the last look. A reader that takes nothing gets what is new at
 * the next look after it took what was written. @param missEvents a fault: nothing after the snapshot
 */
async function follow(
  world: World,
  session: WalletSession,
  connection: StreamConnection,
  missEvents: boolean,
): Promise<void> {
  const { streamPollMs, shapes } = world.options
  let announced = new Set<string>()
  const send = (event: string) => {
    const open = world.assets.open()
    const opened = open.filter(({ id }) => !announced.has(id)).map((asset) => listedAssetView(world, asset))
    announced = new Set(open.map(({ id }) => id))
    if (event === EVENTS.snapshot || opened.length > 0)
      connection.event(event, shapes.event?.(opened) ?? { assets: opened })
  }
  send(EVENTS.snapshot)
  while (await connection.after(streamPollMs)) {
    if (world.walletSession.sessions.hasExpired(session)) return connection.end()
    if (!missEvents && !connection.blocked) send(EVENTS.opened)
  }
}

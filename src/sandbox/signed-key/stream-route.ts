import type { FastifyReply } from 'fastify'
import type { InjectedFault } from '../faults/faults.js'
import { after, beat, openConnection, type StreamConnection } from '../stream/stream-connection.js'
import { playStreamFault } from '../stream/stream-faults.js'
import type { World } from '../world.js'
import type { Caller } from './authenticate.js'
import { OpenAssetFeed } from './open-asset-feed.js'

const EVENTS = { snapshot: 'open-assets', opened: 'new-open-assets' } as const

/** Opens the event stream on a request that passed all gates, and keeps it until either side ends it. */
export function openStream(world: World, caller: Caller, reply: FastifyReply, fault: InjectedFault | null): void {
  const connection = openConnection(world, reply, () => feed.flush())
  const feed = new OpenAssetFeed(world, caller, connection.writer, { missEvents: fault?.kind === 'missed-events' })
  feed.sendReady()
  // Listening starts before the first snapshot, in the same turn, so no change falls between.
  const silent = fault !== null && playStreamFault(world, connection, fault, EVENTS) === 'silent'
  if (silent) return
  feed.sendSnapshot()
  follow(world, caller, feed, connection)
}

/** Ties the feed to the world until the connection is gone. */
function follow(world: World, caller: Caller, feed: OpenAssetFeed, connection: StreamConnection): void {
  const { signal } = connection
  const stops = [
    world.assets.changed.listen(() => {
      feed.assetsChanged()
      void snapshotLater()
    }),
    world.stakes.changed.listen(() => {
      feed.stakeChanged()
      goodbye()
    }),
    world.keys.changed.listen(() => goodbye()),
  ]
  const unfollow = () => {
    for (const stop of stops) stop()
  }
  signal.addEventListener('abort', unfollow, { once: true })

  let snapshotPending = false
  async function snapshotLater(): Promise<void> {
    if (snapshotPending) return
    snapshotPending = true
    const alive = await after(world, world.limits.snapshotDelayMs, signal)
    snapshotPending = false
    if (alive) feed.snapshotIsDue()
  }

  /** Ends the stream with an `error` event where the key may no longer read it. @returns whether it did */
  function goodbye(): boolean {
    const reason = refusalOf(world, caller)
    if (reason === null) return false
    connection.writer.event('error', { message: reason })
    connection.end()
    return true
  }

  void beat(world, connection, () => feed.heartbeat())
}

function refusalOf(world: World, caller: Caller): string | null {
  if (caller.key.revokedAt !== null) return 'key-revoked: this key was revoked'
  if (!world.stakes.isEnough(caller.wallet)) return 'stake-below-minimum: the stake fell below the minimum'
  return null
}

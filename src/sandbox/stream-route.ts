import type { FastifyReply } from 'fastify'
import type { Caller } from './authenticate.js'
import { EventWriter } from './event-writer.js'
import type { InjectedFault } from './faults.js'
import { OpenAssetFeed } from './open-asset-feed.js'
import { after, type StreamConnection } from './stream-connection.js'
import { playStreamFault } from './stream-faults.js'
import type { World } from './world.js'

/** Opens the event stream on a request that passed all gates, and keeps it until either side ends it. */
export function openStream(world: World, caller: Caller, reply: FastifyReply, fault: InjectedFault | null): void {
  reply.hijack()
  const response = reply.raw
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  const ended = new AbortController()
  response.on('close', () => ended.abort())
  response.on('error', () => ended.abort())
  const writer = new EventWriter(response, () => feed.flush())
  const feed = new OpenAssetFeed(world, caller, writer, { missEvents: fault?.kind === 'missed-events' })
  const end = () => response.end()
  const destroy = () => response.destroy()

  feed.sendReady()
  const connection = { writer, end, destroy, signal: ended.signal }
  // Listening starts before the first snapshot, in the same turn, so no change falls between.
  const silent = fault !== null && playStreamFault(world, connection, fault) === 'silent'
  if (!silent) {
    feed.sendSnapshot()
    follow(world, caller, feed, connection)
  }
  const forget = world.streams.add(destroy)
  ended.signal.addEventListener('abort', forget, { once: true })
}

/** Ties the feed to the world until the connection is gone. */
function follow(world: World, caller: Caller, feed: OpenAssetFeed, connection: StreamConnection): void {
  const { signal } = connection
  const stops = [
    world.assets.changed.listen(() => {
      feed.assetsChanged()
      void snapshotLater()
    }),
    world.stakes.changed.listen(() => (goodbye() ? undefined : feed.stakeChanged())),
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

  void beat(world, feed, connection)
}

function refusalOf(world: World, caller: Caller): string | null {
  if (caller.key.revokedAt !== null) return 'key-revoked: this key was revoked'
  if (!world.stakes.isEnough(caller.wallet)) return 'stake-below-minimum: the stake fell below the minimum'
  return null
}

/** Heartbeats, and the end of a reader that takes nothing for too long. */
async function beat(world: World, feed: OpenAssetFeed, connection: StreamConnection): Promise<void> {
  let blockedSince: number | null = null
  while (await after(world, world.limits.heartbeatMs, connection.signal)) {
    feed.heartbeat()
    blockedSince = connection.writer.blocked ? (blockedSince ?? world.clock.monotonic()) : null
    if (blockedSince !== null && world.clock.monotonic() - blockedSince >= world.limits.slowReaderMs) {
      world.log.warn({}, 'a stream reader took nothing for too long and was cut')
      connection.destroy()
    }
  }
}

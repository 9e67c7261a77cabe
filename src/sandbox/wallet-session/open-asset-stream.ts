import type { FastifyReply } from 'fastify'
import type { SandboxAsset } from '../books/asset-book.js'
import type { InjectedFault } from '../faults/faults.js'
import type { EventWriter } from '../stream/event-writer.js'
import { after, beat, openConnection, type StreamConnection } from '../stream/stream-connection.js'
import { playStreamFault } from '../stream/stream-faults.js'
import type { World } from '../world.js'
import type { WalletSession } from './session-issuer.js'
import { eventPayload } from './shapes.js'
import { listedAssetView } from './views.js'

const EVENTS = { snapshot: 'snapshot', opened: 'new-asset' } as const

/** Opens the event stream of a session, and keeps it until either side or the session ends. */
export function openAssetStream(
  world: World,
  session: WalletSession,
  reply: FastifyReply,
  fault: InjectedFault | null,
): void {
  // A reader that takes nothing gets what is new at the next look after it took what was written.
  const connection = openConnection(world, reply, () => {})
  const silent = fault !== null && playStreamFault(world, connection, fault, EVENTS) === 'silent'
  if (silent) return
  const poll = new OpenAssetPoll(world, connection.writer)
  poll.sendSnapshot()
  void follow(world, session, connection, fault?.kind === 'missed-events' ? null : poll)
  void beat(world, connection, () => connection.writer.raw(': ping\n\n'))
}

/** @param poll null: nothing more is reported */
async function follow(
  world: World,
  session: WalletSession,
  connection: StreamConnection,
  poll: OpenAssetPoll | null,
): Promise<void> {
  const { sessions, streamPollMs } = world.walletSession
  while (await after(world, streamPollMs, connection.signal)) {
    if (sessions.hasExpired(session)) return connection.end()
    poll?.look()
  }
}

/** Compares the open set with what was announced of it. */
class OpenAssetPoll {
  readonly #world: World
  readonly #writer: EventWriter
  #announced = new Set<string>()

  constructor(world: World, writer: EventWriter) {
    this.#world = world
    this.#writer = writer
  }

  sendSnapshot(): void {
    const assets = this.#world.assets.open()
    this.#writer.event(EVENTS.snapshot, this.#payload(assets))
    this.#announced = idsOf(assets)
  }

  /** Reports assets that opened since the last look. */
  look(): void {
    if (this.#writer.blocked) return
    const assets = this.#world.assets.open()
    const opened = assets.filter((asset) => !this.#announced.has(asset.id))
    if (opened.length > 0) this.#writer.event(EVENTS.opened, this.#payload(opened))
    this.#announced = idsOf(assets)
  }

  #payload(assets: readonly SandboxAsset[]) {
    const listed = assets.map((asset) => listedAssetView(this.#world, asset))
    return eventPayload(listed, this.#world.walletSession.shapes)
  }
}

function idsOf(assets: readonly SandboxAsset[]): Set<string> {
  return new Set(assets.map((asset) => asset.id))
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../http/refusal.js'
import type { World } from '../world.js'
import type { FaultKind, FaultRoute, InjectedFault } from './faults.js'

/** Time of `slow` and `late-store` where the rule gives none, milliseconds. */
const DEFAULT_FAULT_MS = 2_000

/** Faults by which the request is never handled. */
const UNHANDLED_KINDS: readonly FaultKind[] = ['redirect', 'no-reply-not-stored', 'reset']

/** Where a redirect fault leads; `.invalid` never resolves. */
const REDIRECT_ORIGIN = 'http://redirected.invalid'

/** For routes that count by asset id or CID, and for those of scores, which keep a history of every attempt. */
export interface FaultHookOptions {
  /** What attempts are counted by; the route's name where absent. */
  readonly keyOf?: (request: FastifyRequest) => string
  /** Hears of every request, also of those that get no fault. */
  readonly onDecided?: (request: FastifyRequest, attempt: number, fault: InjectedFault | null) => void
}

/** For routes on one asset, whose attempts are counted by it. */
export const byAsset: FaultHookOptions = { keyOf: (request) => (request.params as { id: string }).id }

/** Route options that count the requests of a route and make them fail as the plan states. */
export function faultHooks(world: World, route: FaultRoute, options: FaultHookOptions = {}) {
  return {
    preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { attempt, fault } = world.faults.next(route, options.keyOf?.(request) ?? route)
      request.setDecorator('fault', fault)
      options.onDecided?.(request, attempt, fault)
      if (fault !== null) return beforeHandler(world, request, reply, fault)
    },
    onSend: async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
      const fault = faultOf(request)
      return fault === null ? payload : beforeSending(world, request, reply, fault, payload)
    },
  }
}

/** The fault that this request has, for handlers that show their own faults (stream, gateway). */
export const faultOf = (request: FastifyRequest): InjectedFault | null =>
  request.getDecorator<InjectedFault | null>('fault')

/** Whether the handler runs under this fault, so that a score is stored. */
export const isHandled = (kind: FaultKind): boolean => !kind.startsWith('status-') && !UNHANDLED_KINDS.includes(kind)

async function beforeHandler(world: World, request: FastifyRequest, reply: FastifyReply, fault: InjectedFault) {
  const { kind, rule } = fault
  if (kind.startsWith('status-')) {
    const retryAfter = rule.retryAfterSeconds ?? (kind === 'status-429' ? 1 : undefined)
    throw new Refusal('fault-injected', `Fault ${kind}, attempt ${fault.attempt}.`, {
      status: Number(kind.slice('status-'.length)),
      headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` },
    })
  }
  if (kind === 'redirect') return reply.redirect(`${REDIRECT_ORIGIN}${request.raw.url ?? ''}`)
  if (kind === 'reset') request.raw.socket.destroy()
  if (kind === 'reset' || kind === 'no-reply-not-stored') return never()
  if (kind === 'late-store') await world.clock.sleep(rule.ms ?? DEFAULT_FAULT_MS, world.stopping)
}

async function beforeSending(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  fault: InjectedFault,
  payload: unknown,
): Promise<unknown> {
  const { kind, rule } = fault
  if (kind === 'no-reply' || kind === 'late-store' || kind === 'no-reply-not-stored') return never()
  if (kind === 'lost-reply') {
    request.raw.socket.destroy()
    return never()
  }
  if (kind === 'slow') await world.clock.sleep(rule.ms ?? DEFAULT_FAULT_MS, world.stopping)
  if (typeof payload !== 'string' || reply.statusCode >= 400) return payload
  if (kind === 'garbage') return '<html><body>Bad gateway, or is it {"ok":'
  if (kind === 'wrong-shape') return '{"unexpected":[1,2,3]}'
  if (kind === 'truncated') return sendHalf(reply, payload)
  return payload
}

function sendHalf(reply: FastifyReply, payload: string): Promise<never> {
  const bytes = Buffer.from(payload)
  reply.raw.writeHead(reply.statusCode, { 'content-type': 'application/json', 'content-length': bytes.byteLength })
  reply.raw.write(bytes.subarray(0, bytes.byteLength >> 1), () => reply.raw.socket?.destroy())
  return never()
}

/** The request hangs until its socket goes; the shutdown destroys sockets. */
const never = (): Promise<never> => new Promise(() => {})

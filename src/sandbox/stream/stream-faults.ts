import type { InjectedFault } from '../faults/faults.js'
import type { StreamConnection } from './stream-connection.js'

/** Pause before `cut` where the rule gives none, milliseconds. */
const DEFAULT_CUT_MS = 50
/** Size of `huge-event` where the rule gives none, bytes. */
const DEFAULT_HUGE_BYTES = 8 * 1024 * 1024

/** What an API calls its events. */
export interface EventNames {
  /** The whole open set. */
  readonly snapshot: string
  readonly opened: string
}

/** Does the fault of a stream just before the first snapshot. @returns `silent` where nothing may follow */
export function playStreamFault(
  connection: StreamConnection,
  fault: InjectedFault | null,
  names: EventNames,
): 'silent' | 'go on' {
  if (fault === null) return 'go on'
  if (fault.kind === 'silence') return 'silent'
  if (fault.kind === 'cut') {
    void connection.after(fault.rule.ms ?? DEFAULT_CUT_MS).then((alive) => alive && connection.destroy())
  }
  if (fault.kind === 'garbage') connection.raw(garbage(names))
  if (fault.kind === 'huge-event') connection.event(names.snapshot, 'x'.repeat(fault.rule.bytes ?? DEFAULT_HUGE_BYTES))
  if (fault.kind === 'error-event') connection.event('error', { message: 'injected trouble' })
  if (fault.kind === 'retry-0') {
    connection.raw('retry: 0\n\n')
    connection.end()
    return 'silent'
  }
  return 'go on'
}

function garbage({ snapshot, opened }: EventNames): string {
  return [
    `event: ${opened}\ndata: {"ids":["half\n\n`,
    `event: ${snapshot}\ndata: {"ids":"none","assets":null}\n\n`,
    `event: ${opened}\ndata: {"ids":["bad"],"assets":[{"id":"bad","title":7}]}\n\n`,
    'event: never-heard-of\ndata: 1\n\n',
    'data: no name at all\n\n',
  ].join('')
}

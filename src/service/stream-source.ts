import type { ServiceEvent } from './port.js'

/** One event as it stood on the wire. */
export interface RawEvent {
  readonly name: string
  readonly data: string
  readonly id: string
}

/** What the reader needs to know of a stream; one for each API. */
export interface StreamSource {
  /** Method and path, for instance `GET /api/v1/attester/media/stream`: for messages. */
  readonly route: string
  readonly url: URL
  /** The headers of one connection; called for each, so that each has a fresh signature. */
  sign(signal: AbortSignal): Promise<Readonly<Record<string, string>>>
  /**
   * What an event means; the next event waits for it.
   * @throws AttestdError event-malformed for a name or data that is not of the stated shape, event-too-large, or why the
   * service could not be asked for what the event only names
   */
  decode(event: RawEvent, signal: AbortSignal): Promise<readonly ServiceEvent[]>
  /** Called for a 401. @returns whether the cause was removed, so that the next attempt need not wait */
  recover?(signal: AbortSignal): Promise<boolean>
}

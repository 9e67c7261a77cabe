/** What the gate and readiness need to know of service time. */
export interface ClockState {
  /** Service time minus local time, milliseconds; null before the first sample. */
  readonly offsetMs: number | null
  /** Half the round trip of the best sample plus drift since, milliseconds: the truth lies within. */
  readonly errorBoundMs: number | null
  /** Whether a signature made now is inside the service's window. */
  readonly trusted: boolean
}

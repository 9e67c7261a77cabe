type Write = (facts: Readonly<Record<string, unknown>>, message: string) => void

/** What a room needs of a logger; pino's logger fits. Messages are in the past tense, facts carry asset, attempt and reason. */
export interface Log {
  debug: Write
  info: Write
  warn: Write
  error: Write
}

/** Drops everything; for tests and for library use without a logger. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

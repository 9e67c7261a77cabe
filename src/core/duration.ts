const TENTH = 100
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A time span for people: `0.4 s`, `12 s`, `3 min 20 s`, `5 h 2 min`, `4 d 1 h`, rounded down. Negative spans read as 0. */
export function duration(ms: number): string {
  const span = Math.max(0, ms)
  if (span < 10 * SECOND) return `${(Math.floor(span / TENTH) / 10).toFixed(1)} s`
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min ${Math.floor((span % MINUTE) / SECOND)} s`
  if (span < DAY) return `${Math.floor(span / HOUR)} h ${Math.floor((span % HOUR) / MINUTE)} min`
  return `${Math.floor(span / DAY)} d ${Math.floor((span % DAY) / HOUR)} h`
}

/** A time span for people: whole milliseconds below 10 s, else seconds with one decimal; `?` where it is not known. */
export function milliseconds(ms: number | null): string {
  if (ms === null) return '?'
  return Math.abs(ms) < 10 * SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(1)} s`
}

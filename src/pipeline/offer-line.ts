import type { Asset } from '../service/port.js'

/** An asset as it was read. */
export interface ReadAsset {
  readonly asset: Asset
  /** See `AnalyzeJob`. */
  readonly unscoredAt: number | null
  /** By the stream; else by the list. */
  readonly isStreamed: boolean
}

/** Assets that wait to be offered to the queue: each once, urgent ones first. */
export class OfferLine {
  readonly #urgent = new Map<string, ReadAsset>()
  readonly #standard = new Map<string, ReadAsset>()
  readonly #wakers: (() => void)[] = []

  add(read: ReadAsset): void {
    const { asset } = read
    const line = asset.turnaround === 'priority_5min' ? this.#urgent : this.#standard
    line.set(asset.id, read)
    this.#wakers.shift()?.()
  }

  delete(assetId: string): void {
    this.#urgent.delete(assetId)
    this.#standard.delete(assetId)
  }

  /** Forgets every asset of the stream that is not named. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const line of [this.#urgent, this.#standard]) {
      for (const [id, { isStreamed }] of line) if (isStreamed && !ids.has(id)) line.delete(id)
    }
  }

  clear(): void {
    this.#urgent.clear()
    this.#standard.clear()
  }

  /** The next asset, as soon as there is one; null when the signal aborts. */
  async next(signal: AbortSignal): Promise<ReadAsset | null> {
    while (!signal.aborted) {
      const read = first(this.#urgent) ?? first(this.#standard)
      if (read) {
        this.delete(read.asset.id)
        return read
      }
      await this.#change(signal)
    }
    return null
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake)
        resolve()
      }
      signal.addEventListener('abort', wake, { once: true })
      this.#wakers.push(wake)
    })
  }
}

function first(line: ReadonlyMap<string, ReadAsset>): ReadAsset | undefined {
  return line.values().next().value
}

import type { Asset } from '../service/port.js'

/** Assets that wait to be offered to the queue: each once, urgent ones first. */
export class OfferLine {
  readonly #urgent = new Map<string, Asset>()
  readonly #standard = new Map<string, Asset>()
  readonly #wakers: (() => void)[] = []

  add(asset: Asset): void {
    const line = asset.turnaround === 'priority_5min' ? this.#urgent : this.#standard
    line.set(asset.id, asset)
    this.#wakers.shift()?.()
  }

  delete(assetId: string): void {
    this.#urgent.delete(assetId)
    this.#standard.delete(assetId)
  }

  /** Forgets every asset that is not named. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const line of [this.#urgent, this.#standard]) {
      for (const id of line.keys()) if (!ids.has(id)) line.delete(id)
    }
  }

  clear(): void {
    this.#urgent.clear()
    this.#standard.clear()
  }

  /** The next asset, as soon as there is one; null when the signal aborts. */
  async next(signal: AbortSignal): Promise<Asset | null> {
    while (!signal.aborted) {
      const asset = first(this.#urgent) ?? first(this.#standard)
      if (asset) {
        this.delete(asset.id)
        return asset
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

function first(line: ReadonlyMap<string, Asset>): Asset | undefined {
  return line.values().next().value
}

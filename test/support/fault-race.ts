import { type Api, DaemonBench } from './daemon-bench.js'
import { Wiretap } from './daemon-wiretap.js'

export interface RaceOptions {
  readonly daemons: number
  readonly assets: number
  readonly seed: string
  /** @default 'signed-key' */
  readonly api?: Api
  /** The way to a distant service and back, ms. */
  readonly roundTripMs?: number
}

/** What several daemons with one key, each on its own queue, made of the same assets. */
export interface Race {
  readonly assets: number
  /** Assets with more than one score on record. */
  readonly doubled: number
  /** From the service's answer "no score yet" to the score on its record, ms, of every send. */
  readonly windowsMs: readonly number[]
  /** Sends by a daemon that already knew that the asset has its score. Must be none. */
  readonly knowingly: number
  /** Sends of one daemon for one asset beyond its first. Must be none without faults. */
  readonly repeated: number
  /** Assets without a score. Must be none. */
  readonly missed: number
}

/**
 * As by default: without faults, a lock that is lost, a request that comes too late or an answer that is given up would be those of a
 * busy machine.
 */
const WINDOW_MS = 30_000
const PATIENT = {
  ATTESTD_TIMESTAMP_WINDOW_MS: String(WINDOW_MS),
  ATTESTD_SERVICE_TIMEOUT_MS: '30000',
  ATTESTD_QUEUE_LOCK_MS: '30000',
}

/** Runs daemons with the same key on separate embedded queues over the same assets. */
export async function runRace({
  daemons,
  assets,
  seed,
  api = 'signed-key',
  roundTripMs = 0,
}: RaceOptions): Promise<Race> {
  const bench = await DaemonBench.create({ api, timestampWindowMs: WINDOW_MS })
  const taps: Wiretap[] = []
  try {
    for (let nth = 0; nth < daemons; nth++) {
      const tap = await Wiretap.start(bench.sandbox.url, {
        roundTripMs,
        attester: bench.sandbox.wallets.attester.address,
      })
      taps.push(tap)
      const name = `alone-${nth}`
      await bench.prepare(name)
      bench.start({ ...PATIENT, ATTESTD_SERVICE_URL: tap.url }, name)
    }
    await Promise.all(bench.daemons.map((daemon) => daemon.ready()))
    await bench.registerMany(assets, seed)
    await bench.allScored()
    await bench.quiet()
    return judge(bench, taps)
  } finally {
    await bench.dispose()
    for (const tap of taps) await tap.close()
  }
}

function judge(bench: DaemonBench, taps: readonly Wiretap[]): Race {
  const counts = Object.entries(bench.scoreCounts())
  const perDaemon = taps.flatMap((tap) =>
    counts.map(([id]) => ({ asks: tap.of(id, 'ask'), sends: tap.of(id, 'send') })),
  )
  const windowsMs = perDaemon.flatMap(({ asks, sends }) =>
    sends.map(({ leftAt, answeredAt }) => {
      const lastAsk = asks.findLast(({ heardAt }) => heardAt !== null && heardAt <= leftAt)
      return (answeredAt ?? Number.NaN) - (lastAsk?.answeredAt ?? Number.NaN)
    }),
  )
  const knowingly = perDaemon.flatMap(({ asks, sends }) => {
    const knownAt = asks.find((ask) => ask.knownScored)?.heardAt ?? Number.POSITIVE_INFINITY
    return sends.filter(({ leftAt }) => leftAt > knownAt)
  })
  return {
    assets: counts.length,
    doubled: counts.filter(([, count]) => count > 1).length,
    windowsMs: windowsMs.sort((a, b) => a - b),
    knowingly: knowingly.length,
    repeated: perDaemon.reduce((sum, { sends }) => sum + Math.max(0, sends.length - 1), 0),
    missed: counts.filter(([, count]) => count === 0).length,
  }
}

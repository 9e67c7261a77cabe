// Measures what is left of the race between daemons that share a key but no queue: `npm run measure:race`.
import { runRace } from '../support/fault-race.js'

const ASSETS = 150
const DAEMONS = 2
/** The way to the service and back, ms: none on this machine, and a plausible one over the internet. */
const ROUND_TRIPS_MS = [0, 100]

const at = (sorted: readonly number[], share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!)

for (const roundTripMs of ROUND_TRIPS_MS) {
  const race = await runRace({ daemons: DAEMONS, assets: ASSETS, seed: `race-${roundTripMs}`, roundTripMs })
  const { assets, doubled, knowingly, missed, windowsMs } = race
  console.log(
    `${DAEMONS} daemons, one key, separate queues, ${assets} assets at once, round trip of ${roundTripMs} ms: ` +
      `${doubled} scored twice (${((100 * doubled) / assets).toFixed(1)} %), ${missed} missed, ${knowingly} knowingly twice; ` +
      `window from "no score yet" to on record: median ${at(windowsMs, 0.5)} ms, 95 % ${at(windowsMs, 0.95)} ms, most ${at(windowsMs, 1)} ms`,
  )
}

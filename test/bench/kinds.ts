// `npm run bench:kinds`: what a file of each kind costs a detector process, in processor time of one core, over the sample
// media. Each file is scored `--rounds` times after one that is not counted.
import { parseArgs } from 'node:util'
import { openDetectors } from '../../src/app/open/open-detectors.js'
import { readSamples } from '../../src/app/samples.js'
import { loadSettings } from '../../src/config/load.js'
import { median } from '../../src/core/arrays.js'
import { childrenMs } from './processor-time.js'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } })
const ROUNDS = Number(values.rounds)
// The processor time of a process in a cage is not counted with that of its parent.
const env = { ...process.env, ATTESTD_DETECTOR_CAGE: 'off', ATTESTD_DETECTOR_WORKERS: '1' }

const { settings } = loadSettings({ env })
const detectors = await openDetectors(settings)
const costs = new Map<string, number[]>()
for (const { mediaType, path: file } of await readSamples()) {
  const score = () => detectors.detect({ file, mediaType })
  await score()
  const before = await childrenMs()
  for (let round = 0; round < ROUNDS; round++) await score()
  costs.set(mediaType, [...(costs.get(mediaType) ?? []), ((await childrenMs()) - before) / ROUNDS])
}
await detectors.close()

console.log('ms of processor time of one core')
for (const [kind, ms] of costs) {
  const middle = median(ms)
  const pace = (1000 / middle).toFixed(1)
  console.log(
    `${kind}, ${ms.length} file(s): median ${middle.toFixed(0)}, most ${Math.max(...ms).toFixed(0)}, ${pace} files/s`,
  )
}

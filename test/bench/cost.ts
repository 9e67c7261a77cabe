// `npm run bench:cost`: the most processor time that a file under 100 kB costs a detector process, by format, over crafted files:
// much silence, many channels, many pixels or many frames in few bytes. `--only opus` takes the files whose names hold a word.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openDetectors } from '../../src/app/open/open-detectors.js'
import { loadSettings } from '../../src/config/load.js'
import { toAttestdError } from '../../src/core/errors.js'
import type { MediaType } from '../../src/core/media-types.js'
import type { Detection } from '../../src/detect/detection.js'
import { ffmpeg } from '../support/ffmpeg-tool.js'
import { craftedFiles, MOST_BYTES } from './crafted-files.js'
import { childrenMs } from './processor-time.js'

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
/** Of one file, for decoding and all else but the network, on the reference machine. */
const MOST_SECONDS = 2

// The processor time of a process in a cage is not counted with that of its parent.
const env = { ...process.env, ATTESTD_DETECTOR_CAGE: 'off', ATTESTD_DETECTOR_WORKERS: '1' }
const { settings } = loadSettings({ env })
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-cost-'))
const detectors = await openDetectors(settings)
if (ffmpeg === null) console.log('There is no ffmpeg: sound and video are left out.')
console.log('file                           bytes  decode s  network s  s per MB  outcome')
try {
  for (const { name, mediaType, make } of craftedFiles) {
    if (!name.includes(values.only)) continue
    const file = path.join(folder, name)
    if (!(await make(file))) continue
    print(name, (await fs.stat(file)).size, await costOf(file, mediaType))
    await fs.rm(file)
  }
} finally {
  await detectors.close()
  await fs.rm(folder, { recursive: true })
}
console.log(`No file under ${MOST_BYTES} bytes should take more than ${MOST_SECONDS} s without the network.`)

interface Cost {
  readonly total: number
  readonly network: number
  readonly outcome: string
}

/** Processor seconds of the detector process and of what it starts. */
async function costOf(file: string, mediaType: MediaType): Promise<Cost> {
  const before = await childrenMs()
  const spent = async () => ((await childrenMs()) - before) / 1000
  try {
    const detection = await detectors.detect({ file, mediaType })
    const total = await spent()
    return { total, network: total * networkShare(detection), outcome: detection.notes.slice(0, 60) }
  } catch (error) {
    return { total: await spent(), network: 0, outcome: toAttestdError(error).reason }
  }
}

/** By the processor time of the stages where they are counted, else by the time of decoding and inference. */
function networkShare({ elapsedMs: { decode, infer, stages } }: Detection): number {
  if (stages?.network === undefined) return infer / (decode + infer)
  const network = stages.network + (stages.probe ?? 0)
  return network / Object.values(stages).reduce((sum, ms) => sum + ms, 0)
}

function print(name: string, bytes: number, { total, network, outcome }: Cost): void {
  const decode = total - network
  const figures = [bytes.toFixed(0).padStart(9), decode.toFixed(2).padStart(9), network.toFixed(2).padStart(10)]
  const mark = bytes < MOST_BYTES && decode > MOST_SECONDS ? '!' : ' '
  console.log(
    `${name.padEnd(26)}${figures.join(' ')} ${((1e6 * decode) / bytes).toFixed(1).padStart(9)}${mark} ${outcome}`,
  )
}

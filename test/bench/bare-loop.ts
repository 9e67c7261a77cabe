// The least that must be done for a picture in several views, with sharp and onnxruntime alone: decode, make smaller, cut,
// run the same networks as often. Forked by throughput.ts, which states how many faces each file has.
import fs from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import sharp from 'sharp'
import { parseManifest } from '../../src/detect/package/manifest.js'

export interface BareFile {
  readonly path: string
  /** Null where the daemon took no look. */
  readonly faces: number | null
}

export interface BareTask {
  /** Of the package, whose preprocessing is `image-views`. */
  readonly folder: string
  readonly files: readonly BareFile[]
}

export interface BareResult {
  readonly processorMs: number
  readonly seconds: number
}

sharp.cache(false)
sharp.concurrency(1)

process.once('message', async (task: BareTask) => {
  const look = await open(task.folder)
  // Once before the clock starts, as the daemon's self-test does.
  if (task.files[0]) await look(task.files[0])
  const [started, before] = [performance.now(), process.cpuUsage()]
  for (const file of task.files) await look(file)
  const { user, system } = process.cpuUsage(before)
  const result: BareResult = { processorMs: (user + system) / 1000, seconds: (performance.now() - started) / 1000 }
  process.send?.(result, () => process.disconnect())
})

async function open(folder: string) {
  const file = path.join(folder, 'detector.json')
  const manifest = parseManifest(fs.readFileSync(file, 'utf8'), file)
  const { runtime, preprocessing: plan } = manifest
  if (runtime.kind !== 'onnx-views' || plan.kind !== 'image-views')
    throw new Error(`${manifest.id} does not see pictures in several views`)
  const load = (file: string) => {
    const bytes = fs.readFileSync(path.join(folder, file))
    return InferenceSession.create(file.endsWith('.gz') ? gunzipSync(bytes) : bytes, {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      enableMemPattern: false,
    })
  }
  const loadIf = (file: string | undefined) => (file === undefined ? null : load(file))
  const whole = await load(runtime.whole)
  const face = await loadIf(runtime.face)
  const finder = await loadIf(plan.faces?.finder)
  return async ({ path: file, faces }: BareFile): Promise<void> => {
    const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    const picture = { pixels: data, width: info.width, height: info.height }
    const scale = plan.whole.shortSide / Math.min(info.width, info.height)
    const long = Math.min(Math.max(info.width, info.height) * scale, plan.whole.shortSide * plan.whole.maxAspect)
    const [width, height] = info.width < info.height ? [plan.whole.shortSide, long] : [long, plan.whole.shortSide]
    const small = await resized(picture, Math.round(width), Math.round(height))
    await run(whole, runtime.input, small, small.width, small.height)
    if (finder === null || face === null || faces === null || plan.faces === undefined) return
    const fit = plan.faces.side / Math.max(info.width, info.height)
    const multiple = (length: number) => Math.max(32, Math.round((length * fit) / 32) * 32)
    const looked = await resized(picture, multiple(info.width), multiple(info.height))
    await run(finder, 'data', looked, looked.width, looked.height)
    for (let index = 0; index < faces; index++) {
      const cut = await resized(picture, plan.faces.size, plan.faces.size)
      await run(face, runtime.input, cut, cut.width, cut.height)
    }
  }
}

interface Pixels {
  readonly pixels: Buffer
  readonly width: number
  readonly height: number
}

async function resized({ pixels, width, height }: Pixels, toWidth: number, toHeight: number): Promise<Pixels> {
  const raw = { width, height, channels: 3 as const }
  const data = await sharp(pixels, { raw }).resize(toWidth, toHeight, { fit: 'fill' }).raw().toBuffer()
  return { pixels: data, width: toWidth, height: toHeight }
}

async function run(session: InferenceSession, input: string, picture: Pixels, width: number, height: number) {
  const values = new Float32Array(3 * width * height)
  for (let channel = 0, to = 0; channel < 3; channel++) {
    for (let y = 0; y < height; y++) {
      let from = y * picture.width * 3 + channel
      for (let x = 0; x < width; x++, from += 3) values[to++] = (picture.pixels[from] as number) / 255
    }
  }
  await session.run({ [input]: new Tensor('float32', values, [1, 3, height, width]) })
}

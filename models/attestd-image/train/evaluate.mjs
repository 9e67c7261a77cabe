/**
 * Runs the package through the libraries that the daemon uses (sharp, onnxruntime-node) with the
 * manifest's own preprocessing, and compares with the logits that train.py got from torch.
 *
 *   node train/evaluate.mjs --self-test                     check selfTest against the manifest
 *   node train/evaluate.mjs --work DIR [--write]            parity and cost, where train.py ran
 *
 * --package DIR names another package than the folder above (attestd-image-open). With --write, evaluation/runtime.json and the manifest's selfTest.risk are rewritten.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as ort from 'onnxruntime-node'
import sharp from 'sharp'

const { values: options } = parseArgs({
  options: {
    package: { type: 'string', default: resolve(dirname(fileURLToPath(import.meta.url)), '..') },
    work: { type: 'string' },
    write: { type: 'boolean', default: false },
    'self-test': { type: 'boolean', default: false },
  },
})
const PACKAGE = resolve(options.package)
const manifestPath = join(PACKAGE, 'detector.json')
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
const { resize, crops, normalize } = manifest.preprocessing

const openSession = (path) => ort.InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 })

/** RGB pixels of one file with the short side at the manifest's length. */
async function decode(path) {
  const upright = await sharp(path, { failOn: 'error' })
    .autoOrient()
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = upright.info
  const scale = resize.shortSide / Math.min(width, height)
  const size = [width, height].map((side) => Math.max(resize.shortSide, Math.round(side * scale)))
  const resized = await sharp(upright.data, { raw: { width, height, channels } })
    .resize(size[0], size[1], { fit: 'fill', kernel: resize.kernel })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { ...resized, enlarged: scale > 1 }
}

/** The manifest's crops as one NCHW tensor. */
function cropTensor({ data, info }) {
  const { size } = crops
  const right = info.width - size
  const bottom = info.height - size
  const center = [bottom >> 1, right >> 1]
  const origins = crops.positions === 'five' ? [[0, 0], [0, right], [bottom, 0], [bottom, right], center] : [center]
  const plane = size * size
  const pixels = new Float32Array(origins.length * 3 * plane)
  origins.forEach(([top, left], n) => {
    for (let y = 0; y < size; y += 1) {
      for (let x = 0; x < size; x += 1) {
        const from = ((top + y) * info.width + left + x) * info.channels
        for (let c = 0; c < 3; c += 1) {
          const value = data[from + (info.channels === 1 ? 0 : c)] / 255
          pixels[(n * 3 + c) * plane + y * size + x] = (value - normalize.mean[c]) / normalize.std[c]
        }
      }
    }
  })
  return new ort.Tensor('float32', pixels, [origins.length, 3, size, size])
}

/** Mean logit over the crops of one file, with the milliseconds that inference took. */
async function score(session, path) {
  const image = await decode(path)
  const tensor = cropTensor(image)
  const start = performance.now()
  const output = await session.run({ [manifest.runtime.input]: tensor })
  const logits = output[manifest.runtime.output].data
  const milliseconds = performance.now() - start
  return {
    logit: logits.reduce((a, b) => a + b, 0) / logits.length,
    milliseconds,
    crops: logits.length,
    enlarged: image.enlarged,
  }
}

/** Calibrated risk of a logit. */
function toRisk(logit) {
  const { slope, intercept } = manifest.calibration
  return 1 / (1 + Math.exp(-(slope * logit + intercept)))
}

/** Area under the ROC curve by ranks, ties shared. */
function areaUnderCurve(rows) {
  const sorted = [...rows].sort((a, b) => a.logit - b.logit)
  let rankSum = 0
  for (let i = 0; i < sorted.length; ) {
    let j = i
    while (j < sorted.length && sorted[j].logit === sorted[i].logit) j += 1
    const rank = (i + j + 1) / 2
    for (; i < j; i += 1) if (sorted[i].label === 1) rankSum += rank
  }
  const fakes = rows.filter((row) => row.label === 1).length
  return (rankSum - (fakes * (fakes + 1)) / 2) / (fakes * (rows.length - fakes))
}

/** Scores the listed files and compares with torch. */
async function compare(session, files) {
  const rows = []
  for (const file of files) {
    const scored = await score(session, file.path)
    rows.push({ ...scored, label: file.label, difference: Math.abs(scored.logit - file.logit) })
  }
  return rows
}

const round = (value) => Number(value.toFixed(4))
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]
const greatest = (rows) => rows.reduce((most, row) => Math.max(most, row.difference), 0)

const shipped = await openSession(join(PACKAGE, manifest.runtime.model))
const selfTestRisk = toRisk((await score(shipped, join(PACKAGE, manifest.selfTest.file))).logit)
console.log(`self test: risk ${selfTestRisk.toFixed(4)}, manifest says ${manifest.selfTest.risk}`)

if (options['self-test']) {
  if (Math.abs(selfTestRisk - manifest.selfTest.risk) > manifest.selfTest.tolerance) process.exit(1)
} else {
  if (!options.work) throw new Error('--work DIR is needed (or --self-test)')
  const variant = manifest.variantOf ? 'open' : 'full'
  const expected = JSON.parse(readFileSync(join(options.work, `torch-logits-${variant}.json`), 'utf8'))
  const digest = createHash('sha256')
    .update(readFileSync(join(PACKAGE, manifest.runtime.model)))
    .digest('hex')
  if (digest !== expected.sha256) throw new Error('model.onnx is not the network that torch-logits.json describes')
  const rows = await compare(shipped, expected.files)
  const report = {
    runtime: { 'onnxruntime-node': ort.env.versions.node, sharp: sharp.versions.sharp, node: process.version },
    shipped: {
      files: rows.length,
      // libvips enlarges about half a source pixel beside Pillow; shrinking is the case that matters in use.
      maxAbsLogitDifferenceShrunk: round(greatest(rows.filter((row) => !row.enlarged))),
      maxAbsLogitDifferenceEnlarged: round(greatest(rows.filter((row) => row.enlarged))),
      medianAbsLogitDifference: round(median(rows.map((row) => row.difference))),
      medianMillisecondsPerCrop: round(median(rows.map((row) => row.milliseconds / row.crops))),
    },
    sampleAuc: {
      node: round(areaUnderCurve(rows)),
      torch: round(areaUnderCurve(expected.files)),
      note: 'pictures that the shipped head mostly saw; shows that the runtimes agree, not how well the detector generalizes',
    },
    selfTestRisk: round(selfTestRisk),
  }
  console.log(JSON.stringify(report, null, 2))
  if (options.write) {
    writeFileSync(join(PACKAGE, 'evaluation', 'runtime.json'), `${JSON.stringify(report, null, 2)}\n`)
    manifest.selfTest.risk = round(selfTestRisk)
    writeFileSync(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`)
  }
}

/**
 * What the faces branch does to the figures, by the daemon's own compiled code.
 *
 *   node train/measure-faces.mjs --data DIR [--package DIR] [--count 100]
 *
 * Two settings, each with as many real as machine-made faces: the pack's portraits as they are, and the same faces
 * pasted small into real scenes (both classes alike, then one JPEG), which is what the branch is for. Printed: faces
 * found, AUC, and the share of real pictures with a risk of 50 or more, for the whole picture alone, its worst face
 * alone, their mean, and the higher of the two. Where the weights have seen the data, only the comparison counts.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { loadFaceFinder } from '../../../dist/detect/image/face-finder.js'
import { faceParts } from '../../../dist/detect/image/image-faces.js'
import { imageLibrary } from '../../../dist/detect/image/image-library.js'
import { imageParts } from '../../../dist/detect/image/image-reader.js'
import { loadPackage } from '../../../dist/detect/package/package-loader.js'
import { loadOnnxModel } from '../../../dist/detect/runtimes/onnx-model.js'
import { outputAsLogit } from '../../../dist/detect/scoring/aggregation.js'
import { combineBranches } from '../../../dist/detect/scoring/branches.js'
import { calibrate } from '../../../dist/detect/scoring/calibration.js'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    package: { type: 'string', default: resolve(dirname(fileURLToPath(import.meta.url)), '..') },
    count: { type: 'string', default: '100' },
  },
})
if (!options.data) throw new Error('--data DIR is missing')
const COUNT = Number(options.count)
/** Side of a scene, and of the face in it, px. */
const SCENE = { width: 640, height: 480, face: 150 }

const pack = await loadPackage(options.package)
const { manifest } = pack
const plan = manifest.preprocessing
if (!plan.faces) throw new Error(`${manifest.id} has no plan for faces`)
const model = await loadOnnxModel(pack, manifest.runtime)
const finder = await loadFaceFinder(pack, plan.faces.model)

async function scored(parts) {
  const found = []
  for (const { name, branch, inputs } of parts)
    found.push({ name, branch, rawScore: outputAsLogit(await model.run(inputs), manifest) })
  return found
}

const rawPicture = async (image) => {
  const { data, info } = await image.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

/** A face with a soft round edge in a real scene, stored once as JPEG. */
async function inScene(face, scene, index) {
  const { width, height, face: side } = SCENE
  const { pixels } = await rawPicture(imageLibrary(face).resize(side, side, { fit: 'cover' }))
  const cut = Buffer.alloc(side * side * 4)
  for (let at = 0; at < side * side; at++) {
    const distance = Math.hypot((at % side) - side / 2, Math.floor(at / side) - side / 2) / (side / 2)
    const alpha = Math.max(0, Math.min(255, Math.round((1 - distance) * 8 * 255)))
    cut.set([pixels[at * 3], pixels[at * 3 + 1], pixels[at * 3 + 2], alpha], at * 4)
  }
  // Another place for each picture, the same for both classes.
  const left = (index * 97) % (width - side)
  const top = (index * 61) % (height - side)
  const { data, info } = await imageLibrary(scene)
    .resize(width, height, { fit: 'cover' })
    .composite([{ input: cut, raw: { width: side, height: side, channels: 4 }, left, top }])
    .jpeg({ quality: 85 })
    .toBuffer({ resolveWithObject: true })
  if (info.width !== width) throw new Error('the scene has another size')
  return rawPicture(imageLibrary(data))
}

/** Every n-th of the rows, `COUNT` in all. */
const spread = (rows) =>
  Array.from({ length: Math.min(COUNT, rows.length) }, (_, i) => rows[Math.floor((i * rows.length) / COUNT)])

function areaUnderCurve(real, fake) {
  let wins = 0
  for (const f of fake) for (const r of real) wins += f > r ? 1 : f === r ? 0.5 : 0
  return wins / (real.length * fake.length)
}

const rows = parse(readFileSync(join(options.data, 'index.csv')), { columns: true })
const faces = rows.filter(({ kind }) => kind === 'face')
const classes = {
  real: spread(faces.filter(({ label }) => label === 'real')),
  fake: spread(faces.filter(({ label }) => label === 'fake')),
}
const scenes = spread(rows.filter(({ label, kind }) => label === 'real' && kind === 'photo'))

const SETTINGS = {
  'portraits as they are': (file) => rawPicture(imageLibrary(file)),
  'small faces in real scenes': (file, index) =>
    inScene(file, join(options.data, scenes[index % scenes.length].path), index),
}
/** By name: how one logit comes of the parts of a picture. */
const WAYS = {
  whole: (parts) => combineBranches(parts, manifest.aggregation, 'report'),
  face: (parts) => Math.max(...parts.filter(({ branch }) => branch === 'face').map(({ rawScore }) => rawScore)),
  mean: (parts) => combineBranches(parts, manifest.aggregation, 'mean'),
  max: (parts) => combineBranches(parts, manifest.aggregation, 'max'),
}

for (const [name, open] of Object.entries(SETTINGS)) {
  const logits = { real: [], fake: [] }
  const found = { real: 0, fake: 0 }
  for (const [label, chosen] of Object.entries(classes)) {
    for (const [index, { path }] of chosen.entries()) {
      const picture = await open(join(options.data, path), index)
      const boxes = await finder.find(picture, plan.faces)
      if (boxes.length > 0) found[label]++
      else continue
      const parts = await scored([
        ...(await imageParts(picture, plan)),
        ...(await faceParts(picture, boxes, plan, plan.faces)),
      ])
      logits[label].push(Object.values(WAYS).map((way) => way(parts)))
    }
  }
  console.log(
    `\n${name}: faces found in ${found.real} of ${classes.real.length} real, ${found.fake} of ${classes.fake.length} machine-made; of these`,
  )
  for (const [column, title] of Object.keys(WAYS).entries()) {
    const [real, fake] = [logits.real, logits.fake].map((each) => each.map((row) => row[column]))
    const flagged = real.filter((logit) => calibrate(logit, manifest.calibration) >= 0.5).length / real.length
    const caught = fake.filter((logit) => calibrate(logit, manifest.calibration) >= 0.5).length / fake.length
    console.log(
      `  ${title.padEnd(6)} AUC ${areaUnderCurve(real, fake).toFixed(3)}  real >= 50: ${(flagged * 100).toFixed(1)} %  fake >= 50: ${(caught * 100).toFixed(1)} %`,
    )
  }
}

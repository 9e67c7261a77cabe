// Scores every file of an index by the daemon's own code and writes what each view gave, for combine.py:
//   node branches.mjs --package DIR --data INDEX.csv --out FILE.jsonl [--fold inner]
// One line a file: path, form, native (mean of the crops), whole, face (worst; null without faces), or the reason of a refusal.
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'

const root = new URL('../../../', import.meta.url)
const dist = (file) => import(new URL(`dist/${file}`, root))
const { values } = parseArgs({
  options: { package: { type: 'string' }, data: { type: 'string' }, out: { type: 'string' }, fold: { type: 'string' } },
})
const [{ loadPackage }, { loadViewNetworks }, { loadFaceFinder }, { decodeImage }, { seePicture }, { StageWatch }, { refuseFeatureless }, { refuseSmall }] =
  await Promise.all(
    [
      'detect/package/package-loader.js',
      'detect/image/view-networks.js',
      'detect/image/face-finder.js',
      'detect/image/image-decode.js',
      'detect/image/picture-views.js',
      'detect/child/stage-watch.js',
      'detect/image/featureless.js',
      'detect/image/image-crops.js',
    ].map(dist),
  )
const pack = await loadPackage(path.resolve(values.package))
const { preprocessing: plan, runtime } = pack.manifest
const networks = await loadViewNetworks(pack, runtime, plan.normalize)
const finder = await loadFaceFinder(pack, plan.faces.finder)
const folder = path.dirname(values.data)
const rows = parse(fs.readFileSync(values.data), { columns: true }).filter(({ fold }) => !values.fold || fold === values.fold)

async function look(file) {
  const image = await decodeImage(file, { maxPixels: 300e6, timeoutSeconds: 60 })
  refuseSmall(image, plan.minShortSide)
  await refuseFeatureless(image)
  const seen = await seePicture(image, await finder.find(image, plan.faces), plan, networks, new StageWatch())
  const mean = seen.crops.reduce((sum, { logit }) => sum + logit, 0) / seen.crops.length
  return {
    native: mean,
    crops: seen.crops.map(({ logit }) => logit),
    whole: seen.whole,
    face: seen.faces.length === 0 ? null : Math.max(...seen.faces.map(({ logit }) => logit)),
    faces: seen.faces.map(({ face, logit }) => ({ side: Math.max(face.width, face.height), logit })),
  }
}

const out = fs.createWriteStream(values.out)
for (const { path: file, form, fold } of rows) {
  const result = await look(path.join(folder, file)).catch((error) => ({ reason: error.reason ?? String(error) }))
  out.write(`${JSON.stringify({ path: file, form, fold, ...result })}\n`)
}
out.end()

// Scores every file of an index by the daemon's own code and writes what each view gave, for combine.py:
//   node branches.mjs --package DIR --data INDEX.csv --out FILE.jsonl [--fold inner]
// One line a file: path, form, whole, face (worst; null without faces), share (of the largest
// face), or the reason of a refusal. Of every tenth file also what the re-encodings of the
// stability probe gave.
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'

const root = new URL('../../../', import.meta.url)
const dist = (file) => import(new URL(`dist/${file}`, root))
const { values } = parseArgs({
  options: { package: { type: 'string' }, data: { type: 'string' }, out: { type: 'string' }, fold: { type: 'string' } },
})
const [
  { loadPackage },
  { loadViewNetworks },
  { loadFaceFinder },
  { decodeImage },
  { seePicture },
  { StageWatch },
  { refuseFeatureless },
  { refuseSmall },
  { imageVariants },
  { faceShare, facesIn },
] = await Promise.all(
  [
    'detect/package/package-loader.js',
    'detect/image/view-networks.js',
    'detect/image/face-finder.js',
    'detect/image/image-decode.js',
    'detect/image/picture-views.js',
    'detect/contract/stage-watch.js',
    'detect/image/featureless.js',
    'detect/image/image-crops.js',
    'detect/image/image-variants.js',
    'detect/image/image-faces.js',
  ].map(dist),
)
const pack = await loadPackage(path.resolve(values.package))
const { preprocessing: plan, runtime } = pack.manifest
const networks = await loadViewNetworks(pack, runtime, plan.normalize)
const finder = await loadFaceFinder(pack, plan.faces.finder)
const folder = path.dirname(values.data)
const rows = parse(fs.readFileSync(values.data), { columns: true }).filter(
  ({ fold }) => !values.fold || fold === values.fold,
)

const PROBED_EVERY = 10

/** The logits of one picture, as combine.py takes them. */
async function logitsOf(picture, found) {
  const { whole, faces } = await seePicture(picture, async () => found, plan, networks, new StageWatch())
  return {
    whole,
    face: faces.length === 0 ? null : Math.max(...faces.map(({ logit }) => logit)),
    share: faces.length === 0 ? 0 : faceShare(faces[0].face, picture),
  }
}

async function look(file, isProbed) {
  const image = await decodeImage(file, { timeoutSeconds: 60 })
  refuseSmall(image, plan.minShortSide)
  await refuseFeatureless(image)
  const faces = await finder.find(image, plan.faces)
  const variants = []
  if (isProbed)
    for await (const variant of imageVariants(image))
      variants.push(await logitsOf(variant.picture, facesIn(variant, faces)))
  return { ...(await logitsOf(image, faces)), ...(isProbed ? { variants } : {}) }
}

const out = fs.createWriteStream(values.out)
for (const [index, { path: file, form, fold }] of rows.entries()) {
  const result = await look(path.join(folder, file), index % PROBED_EVERY === 0).catch((error) => ({
    reason: error.reason ?? String(error),
  }))
  out.write(`${JSON.stringify({ path: file, form, fold, ...result })}\n`)
}
out.end()

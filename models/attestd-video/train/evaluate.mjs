/**
 * Measures the package on clips made from pictures, and fits its calibration.
 *
 *   npm run build
 *   node models/attestd-video/train/evaluate.mjs [--images WORK] [--work DIR] [--per-source 2] [--fit] [--write]
 *
 * WORK is the --work folder of attestd-image's recipe: its pictures, and the packages that never saw the half which they
 * judge. Without it, the free pictures of this repository are all there is.
 * --fit sets calibration and decision band in detector.json (restate.mjs must follow); --write writes evaluation/metrics.json and report.md.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeClip, packPictures, samplePictures } from './clips.mjs'
import { built, openPackage, PACKAGE } from './measure.mjs'
import { reportOf } from './report.mjs'

const { values: options } = parseArgs({
  options: {
    images: { type: 'string' },
    work: { type: 'string', default: join(tmpdir(), 'attestd-video-clips') },
    ffmpeg: { type: 'string', default: '/usr/bin/ffmpeg' },
    'per-source': { type: 'string', default: '2' },
    fit: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
/** Seconds of a whole clip, of a clip with a passage, and of the passage. */
const SECONDS = 8
const LONG_SECONDS = 24
const PASSAGE_SECONDS = 6
/**
 * How much of the fitted slope is kept: clips are few, and those of one source alike.
 */
const KEPT_SLOPE = 0.6
/** The band is never narrower: clips of one picture each say little of real video. */
const LEAST_BAND = { low: 0.05, high: 0.9 }
/** Share of machine-made clips that the calibration supposes, as that of attestd-image does: a real clip is seldom accused. */
const PRIOR = 0.1

const { fitPlatt } = await built('lab/calibrate/fit-platt.js')
const { weightsForPrior } = await built('lab/metrics/class-weights.js')
const { areaUnderRoc, tprAtFpr } = await built('lab/metrics/roc.js')
const { rankScores } = await built('lab/metrics/ranked-scores.js')
const { bootstrapIntervals } = await built('lab/metrics/bootstrap.js')
const { seededRandom } = await built('lab/metrics/seeded-random.js')

/** Each with its twin that takes the whole clip as one window, as if a passage could not matter. */
async function openTwins(images = null) {
  const asOne = await openPackage(options.ffmpeg, { windowSeconds: 1e6 }, images)
  return { detector: await openPackage(options.ffmpeg, {}, images), asOne }
}
const shipped = await openTwins()
const { detector } = shipped
const judges = new Map()
/** Samples of either class, so that a run ends in minutes. */
const SAMPLES = 8
const groups = { samples: samplePictures(SAMPLES) }
if (options.images) {
  const folder = resolve(options.images)
  groups.pack = await packPictures(join(folder, 'evaluation'), Number(options['per-source']))
  for (const half of new Set(groups.pack.map((picture) => picture.half)))
    judges.set(half, await openTwins(join(folder, `judge-${half}`, 'attestd-image')))
}
const work = resolve(options.work)
mkdirSync(work, { recursive: true })

/** Real clips, fake clips, and real clips with a fake passage, of one set of pictures. */
async function clipsOf(name, pictures) {
  const clips = []
  for (const [index, picture] of pictures.entries()) {
    const file = join(work, `${name}-${index}.mp4`)
    await makeClip(options.ffmpeg, file, [{ ...picture, seconds: SECONDS }], index)
    clips.push({ set: name, kind: picture.fake ? 'fake' : 'real', source: picture.source, half: picture.half, file })
  }
  for (const [index, real] of pictures.filter(({ fake }) => !fake).entries()) {
    const fakes = pictures.filter(({ fake, half }) => fake && half === real.half)
    const fake = fakes[(index * 7) % fakes.length]
    const side = { ...real, seconds: (LONG_SECONDS - PASSAGE_SECONDS) / 2 }
    for (const kind of ['long real', 'passage']) {
      const file = join(work, `${name}-${kind.replace(' ', '-')}-${index}.mp4`)
      const middle = { ...(kind === 'passage' ? fake : real), seconds: PASSAGE_SECONDS }
      await makeClip(options.ffmpeg, file, [side, middle, side], index)
      clips.push({ set: name, kind, source: kind === 'passage' ? fake.source : real.source, half: real.half, file })
    }
  }
  return clips
}

async function score(clips) {
  const rows = []
  for (const clip of clips) {
    const twins = judges.get(clip.half) ?? shipped
    const { rawScore } = await twins.detector.measure(clip.file)
    const isLong = clip.kind === 'passage' || clip.kind === 'long real'
    const asOne = isLong ? (await twins.asOne.measure(clip.file)).rawScore : rawScore
    rows.push({ ...clip, rawScore, asOne })
    if (rows.length % 20 === 0) console.log(`${rows.length} of ${clips.length} clips`)
  }
  return rows
}

const round = (value) => Number(value.toFixed(4))
const isFake = ({ kind }) => kind === 'fake' || kind === 'passage'

/** Area under the ROC curve of some rows, with its interval, and the share of fakes found at 5 % false alarms. */
function figures(rows, field = 'rawScore') {
  const labeled = rows.map((row) => ({ score: row[field], fake: isFake(row) }))
  const ranked = rankScores(labeled)
  const { auc } = bootstrapIntervals(labeled, { auc: areaUnderRoc }, seededRandom(1))
  return {
    real: rows.filter((row) => !isFake(row)).length,
    fake: rows.filter(isFake).length,
    auc: round(areaUnderRoc(ranked)),
    aucInterval: auc === null ? null : [round(auc.low), round(auc.high)],
    tprAtFpr5: round(tprAtFpr(ranked, 0.05)),
  }
}

function flagged(rows, kinds) {
  const chosen = rows.filter(({ kind }) => kinds.includes(kind))
  const risks = chosen.map(({ rawScore }) => calibrate(rawScore, manifest.calibration))
  const { low, high } = manifest.decisionBand
  const share = (is) => round(risks.filter(is).length / risks.length)
  return {
    clips: chosen.length,
    atLeast50: share((risk) => risk >= 0.5),
    aboveBand: share((risk) => risk >= high),
    unsure: share((risk) => risk > low && risk < high),
  }
}

const sets = {}
const all = []
for (const [name, pictures] of Object.entries(groups)) {
  const rows = await score(await clipsOf(name, pictures))
  all.push(...rows)
}

/** Calibration and band for detector.json, and the manifest as it is then. */
function fittedManifest() {
  const rows = all.filter(({ set }) => set === (options.images ? 'pack' : 'samples'))
  const labeled = rows.map((row) => ({ logit: row.rawScore, fake: isFake(row), length: 0 }))
  const weights = weightsForPrior(labeled, PRIOR)
  const line = fitPlatt(labeled.map((row) => ({ ...row, weight: row.fake ? weights.fake : weights.real })))
  const slope = round(Math.min(1, line.slope) * KEPT_SLOPE)
  // Half the risk stays where the fit has it: at the same logit.
  const calibration = { kind: 'platt', slope, intercept: round((line.intercept * slope) / line.slope) }
  const riskOf = ({ rawScore }) => 1 / (1 + Math.exp(-(slope * rawScore + calibration.intercept)))
  const highestReal = Math.max(...all.filter((row) => !isFake(row)).map(riskOf))
  const lowestFake = Math.min(...all.filter(isFake).map(riskOf))
  const twentieths = (risk, how) => how(risk * 20) / 20
  const decisionBand = {
    low: Math.min(LEAST_BAND.low, twentieths(lowestFake, Math.floor)),
    high: Math.min(0.99, Math.max(LEAST_BAND.high, twentieths(highestReal, Math.ceil))),
  }
  console.log('fitted', line, { calibration, decisionBand })
  return { ...detector.manifest, calibration, decisionBand }
}

/** As stored: only what the fit sets is replaced, the rest of the text stays. */
function store({ calibration, decisionBand }) {
  const where = join(PACKAGE, 'detector.json')
  const manifest = { ...JSON.parse(readFileSync(where, 'utf8')), calibration, decisionBand }
  writeFileSync(where, `${JSON.stringify(manifest, null, 2)}\n`)
}

const manifest = options.fit ? fittedManifest() : detector.manifest
if (options.fit) store(manifest)
const { calibrate } = await built('detect/scoring/calibration.js')

for (const name of Object.keys(groups)) {
  const rows = all.filter(({ set }) => set === name)
  const only = (...kinds) => rows.filter(({ kind }) => kinds.includes(kind))
  const sources = [...new Set(only('fake').map(({ source }) => source))]
  sets[name] = {
    whole: figures(only('real', 'fake')),
    passage: figures(only('long real', 'passage')),
    passageWithoutWindows: figures(only('long real', 'passage'), 'asOne'),
    byGenerator: Object.fromEntries(
      sources.map((source) => [
        source,
        figures([...only('real'), ...only('fake').filter((row) => row.source === source)]),
      ]),
    ),
    realClips: flagged(rows, ['real', 'long real']),
    fakeClips: flagged(rows, ['fake']),
    passageClips: flagged(rows, ['passage']),
  }
}
const { id, version, calibration, decisionBand, preprocessing } = manifest
const metrics = { detector: `${id}@${version}`, uses: detector.used, preprocessing, calibration, decisionBand, sets }
console.log(JSON.stringify(metrics, null, 2))
if (options.write) {
  writeFileSync(join(PACKAGE, 'evaluation/metrics.json'), `${JSON.stringify(metrics, null, 2)}\n`)
  writeFileSync(join(PACKAGE, 'evaluation/report.md'), reportOf(metrics))
}

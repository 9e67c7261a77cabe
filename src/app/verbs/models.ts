import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Settings } from '../../config/settings.js'
import { AttestdError, errorText, toAttestdError } from '../../core/errors.js'
import { readFileIfPresent } from '../../core/files.js'
import { readJson } from '../../core/text.js'
import type { DetectorManifest } from '../../detect/package/manifest.js'
import { loadOrder, loadPackage, loadPackages, MODELS_FIX } from '../../detect/package/package-loader.js'
import { checkTokenServers } from '../../detect/package/remote-servers.js'
import { choicesIn, type DetectorChoice, partInScores } from '../../detect/package/selection.js'
import { verbState } from '../../fleet/daemon-state.js'
import { type CalibrationReport, calibrationReportSchema } from '../../lab/calibrate/calibration-report.js'
import { measureSample, type SampleMeasurement } from '../../lab/measure/measure-sample.js'
import { percent } from '../../lab/report/figure-text.js'
import { measuringOf } from '../lab/measuring.js'
import { selectionInForce, selectionText } from '../rollout/detector-selection.js'
import { unlistedLines } from '../rollout/unlisted-detectors.js'
import { callDaemon, runningDaemon } from '../running-daemon.js'

/** A folder of the models directory, whether or not it holds a package: what is wrong with one is no error here. */
export interface SurveyedModel {
  readonly id: string
  /** Null where the package is not accepted. */
  readonly version: string | null
  readonly mediaTypes: readonly string[]
  readonly digest: string | null
  /** Whether its weights may be used commercially. */
  readonly openWeights: boolean
  /** What its verdicts are worth at even odds on held-out data; null where evaluation/calibration.json does not state. */
  readonly verdicts: CalibrationReport['bandAfter'] | null
  /** What the settings make of it; null where they do not name it, or it is not accepted. */
  readonly part: ReturnType<typeof partInScores> | null
  /** Title, or what is wrong. */
  readonly summary: string
}

const NO_ANALYSIS =
  'The daemon here does not analyze. `attestd status --fleet` lists the detectors of the daemons that do.'

/**
 * The part of each package in the scores, and by whose word, for people: of the daemon that runs on this data directory, or
 * what one of these settings would start with. `detectors` is null where a daemon runs that does not analyze.
 */
export async function partsInForce(
  settings: Pick<Settings, 'dataDir' | 'detectors'>,
): Promise<{ detectors: readonly DetectorChoice[] | null; summary: string }> {
  const daemon = await runningDaemon(settings.dataDir)
  if (daemon === null) return selectionInForce(settings)
  const ask = { method: 'GET', path: '/status', answer: verbState.pick({ detectors: true, selection: true }) } as const
  const { detectors, selection } = await callDaemon(daemon, ask)
  if (selection) return { detectors, summary: selectionText(selection) }
  return { detectors: null, summary: NO_ANALYSIS }
}

/**
 * Every folder of the models directory, with its title or with what is wrong with it, and its part in the scores.
 * @param detectors null where nothing is analyzed, so that none has a part
 */
export async function surveyModels({
  modelsDir,
  detectors,
}: Pick<Settings, 'modelsDir'> & { readonly detectors: readonly DetectorChoice[] | null }): Promise<SurveyedModel[]> {
  const entries = await fs.readdir(modelsDir, { withFileTypes: true }).catch((cause) => {
    throw new AttestdError('setting-invalid', `${modelsDir} cannot be read (${errorText(cause)}).`, {
      cause,
      fix: MODELS_FIX,
    })
  })
  // A hidden one is no package, such as that of an import at work.
  const folders = entries.filter((one) => one.isDirectory() && !one.name.startsWith('.')).map(({ name }) => name)
  const choices = detectors === null ? [] : choicesIn(folders, detectors)
  return Promise.all(folders.sort().map((id) => survey(modelsDir, id, choices, detectors ?? [])))
}

async function survey(
  modelsDir: string,
  id: string,
  choices: readonly DetectorChoice[],
  named: readonly DetectorChoice[],
): Promise<SurveyedModel> {
  try {
    const { manifest, digest, folder } = await loadPackage(path.join(modelsDir, id))
    const { version, mediaTypes, openWeights, title } = manifest
    const verdicts = await heldOutVerdicts(folder, manifest)
    const choice = choices.find((one) => one.id === id)
    const isLoaded = choice !== undefined && (named.includes(choice) || manifest.variantOf === undefined)
    const part = isLoaded ? partInScores(choice, manifest) : null
    return { id, version, mediaTypes, digest, openWeights, verdicts, part, summary: title }
  } catch (error) {
    const { message, reason } = toAttestdError(error)
    const none = { version: null, mediaTypes: [], digest: null, openWeights: false, verdicts: null, part: null }
    return { id, ...none, summary: `[${reason}] ${message}` }
  }
}

/** For each package that no list names: how to let it score, for people. */
export const unlistedIn = (models: readonly SurveyedModel[]): string[] =>
  unlistedLines(models.flatMap(({ id, part }) => (part === null ? [] : [{ id, ...part }])))

/** Which weights may be used commercially, and what the verdicts of each package are worth, for people. */
export function weightsLines(models: readonly SurveyedModel[]): string[] {
  const named = (open: boolean) =>
    models.filter(({ openWeights, version }) => version !== null && openWeights === open).map(worthText)
  return [
    `commercial use allowed: ${named(true).join(', ') || 'no package'}`,
    `research and evaluation only: ${named(false).join(', ') || 'no package'}`,
    'ATTESTD_DETECTORS chooses packages; ATTESTD_REQUIRE_OPEN_WEIGHTS=true refuses the second kind',
  ]
}

const worthText = ({ id, verdicts }: SurveyedModel): string =>
  verdicts === null ? id : `${id} (decides ${percent(verdicts.decided)}, ${percent(verdicts.right)} right)`

/** Of a whole report, as `models calibrate --write` keeps it, or of the figures alone, as a recipe may keep them. */
const keptVerdicts = z.object({
  bandAfter: calibrationReportSchema.shape.bandAfter,
  detector: z.object({ id: z.string() }).optional(),
})

async function heldOutVerdicts(folder: string, manifest: DetectorManifest): Promise<SurveyedModel['verdicts']> {
  const text = await readFileIfPresent(path.join(folder, 'evaluation', 'calibration.json'))
  // A file of another tool or version states nothing here: no detector hangs on it.
  const kept = text === null ? null : readJson(keptVerdicts, text.toString('utf8'))
  if (!kept || (kept.detector && kept.detector.id !== manifest.id)) return null
  // The folder may be a copy with another network or band, which these figures are not about.
  const { low, high } = manifest.decisionBand
  return kept.bandAfter.low === low && kept.bandAfter.high === high ? kept.bandAfter : null
}

/** Inferences of the own sample that the time is the median of, where nobody asks for another number. */
const TIMES = 5

/** What a package costs on this machine, its digests and its own sample checked. */
export interface VerifiedModel extends Omit<SampleMeasurement, 'measurement'> {
  readonly id: string
  readonly version: string
}

/**
 * Starts a real detector process for each selected package, which checks every digest and runs the package's own sample.
 * @param times inferences that the time is the median of
 * @throws AttestdError manifest-invalid, model-digest-mismatch, setting-invalid, detector-self-test-failed, detector-start-failed, detector-start-timeout
 */
export async function verifyModels(settings: Settings, times = TIMES): Promise<VerifiedModel[]> {
  const { modelsDir, detectors } = settings
  const { signal } = new AbortController()
  const measuring = { ...(await measuringOf(settings, signal)), times, tested: true }
  const packages = await loadPackages({ modelsDir, detectors })
  checkTokenServers(loadOrder(packages), measuring.remoteToken ?? null)
  const verified: VerifiedModel[] = []
  for (const pack of packages) {
    const { startMs, medianMs, rssBytes } = await measureSample(loadOrder([pack]), measuring)
    const { id, version } = pack.manifest
    verified.push({ id, version, startMs, medianMs, rssBytes })
  }
  return verified
}

import type { Settings } from '../../config/settings.js'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import { riskText, roundedRisk } from '../../core/risk.js'
import type { Detection } from '../../detect/detection.js'
import { lineupsOf } from '../../detect/host/lineup.js'
import { loadPackages } from '../../detect/package/package-loader.js'
import type { DetectorChoice } from '../../detect/package/selection.js'
import { Ledger, type LedgerEntry } from '../../pipeline/ledger.js'
import { dataPaths } from '../data-dir.js'
import { findFfmpeg } from '../open/find-program.js'
import { openDetectors } from '../open/open-detectors.js'
import { openMedia } from '../open/open-media.js'
import { describePlatform } from '../open/platform.js'

/** Only `same` proves anything; each other outcome is a reason why it could not be proved. */
export type ReplayOutcome =
  | 'same'
  | 'no-record'
  | 'detector-differs'
  | 'bytes-gone'
  | 'no-score'
  | 'platform-differs'
  | 'score-differs'

/** A replay with both sides of it; `platform` is that of this machine, the one of the verdict is in `record`. */
export interface Replay {
  readonly outcome: ReplayOutcome
  /** One sentence. */
  readonly message: string
  /** The ledger's newest verdict of the asset; null where there is none. */
  readonly record: VerdictEntry | null
  /** What the same bytes scored now; null where they were not scored. */
  readonly detection: Detection | null
  readonly platform: string
}

type VerdictEntry = Extract<LedgerEntry, { kind: 'verdict' }>

/**
 * Scores the bytes of a recorded verdict once more by the same packages, and compares bit for bit. Nothing is
 * submitted; a daemon may run on the same data directory.
 */
export async function replayVerdict(settings: Settings, assetId: string): Promise<Replay> {
  const platform = await describePlatform(await findFfmpeg(settings))
  const record = await newestVerdict(settings.dataDir, assetId)
  const ended = (outcome: ReplayOutcome, message: string, detection: Detection | null = null): Replay => ({
    outcome,
    message,
    record,
    detection,
    platform,
  })
  if (record === null) return ended('no-record', `The ledger of ${settings.dataDir} holds no verdict of ${assetId}.`)
  if (record.rawScore === null) {
    return ended('no-record', `The verdict of ${assetId} was recorded by an older version, without its raw score.`)
  }
  const choice = chosenFor(record, settings.detectors)
  const difference = await detectorDifference(settings.modelsDir, choice, record)
  if (difference !== null) return ended('detector-differs', difference)
  try {
    const detection = await scoreAgain({ ...settings, expectedShare: record.expectedShare }, choice, record)
    const [outcome, message] = compare(record, detection, platform)
    return ended(outcome, message, detection)
  } catch (error) {
    const { message, reason } = toAttestdError(error)
    const gone = error instanceof BytesGone
    return ended(gone ? 'bytes-gone' : 'no-score', `${message} [${gone ? error.reason : reason}]`)
  }
}

/** The bytes could not be had again. */
class BytesGone extends AttestdError {}

async function newestVerdict(dataDir: string, assetId: string): Promise<VerdictEntry | null> {
  const wanted = (entry: LedgerEntry) => entry.assetId === assetId && verdictOf(entry) !== null
  const [entry] = await new Ledger(dataPaths(dataDir).ledger).recent(1, wanted)
  return entry ? verdictOf(entry) : null
}

/** A receipt states the verdict of an asset that another daemon analyzed. */
function verdictOf(entry: LedgerEntry): VerdictEntry | null {
  if (entry.kind === 'verdict') return entry
  if (entry.kind !== 'receipt' || !entry.verdict || entry.mediaType === null) return null
  const { assetId, at, contentHash, mediaType, title, uri, verdict } = entry
  return { at, assetId, title, mediaType, contentHash, uri, kind: 'verdict', ...verdict, cached: true }
}

/** A detector that scored alone is asked alone, whatever is selected now; an ensemble is that of the settings. */
function chosenFor({ algorithm }: VerdictEntry, selected: readonly DetectorChoice[]): readonly DetectorChoice[] {
  if (algorithm.startsWith('ensemble(')) return selected
  return [{ id: algorithm.slice(0, algorithm.lastIndexOf('@')), shadow: false }]
}

async function detectorDifference(
  modelsDir: string,
  detectors: readonly DetectorChoice[],
  { algorithm, detectorDigest, mediaType }: VerdictEntry,
): Promise<string | null> {
  try {
    const now = lineupsOf(await loadPackages({ modelsDir, detectors })).get(mediaType)?.summary
    if (now?.digest === detectorDigest) return null
    const instead = now ? `${now.id}@${now.version} with the digest ${now.digest}` : `nothing that scores ${mediaType}`
    return `${algorithm} with the digest ${detectorDigest} made the verdict; ${modelsDir} holds ${instead}.`
  } catch (error) {
    const { message, reason } = toAttestdError(error)
    return `${algorithm} with the digest ${detectorDigest} made the verdict and cannot be loaded: ${message} [${reason}]`
  }
}

async function scoreAgain(
  settings: Settings,
  detectors: readonly DetectorChoice[],
  { contentHash, mediaType, uri }: VerdictEntry,
): Promise<Detection> {
  const media = await openMedia(settings, { cacheDir: dataPaths(settings.dataDir).cache })
  try {
    const fetched = await media.fetch({ uri, contentHash }).catch((error: unknown) => {
      const { message, reason } = toAttestdError(error)
      throw new BytesGone(reason, `The bytes of the verdict could not be fetched again: ${message}`, { cause: error })
    })
    const host = await openDetectors(settings, { detectors, workers: 1 })
    try {
      return await host.detect({ file: fetched.file, mediaType })
    } finally {
      await host.close()
      fetched.release()
    }
  } finally {
    await media.close()
  }
}

/** Also the risk: the calibration is part of the package, but not of the raw score. */
function compare(record: VerdictEntry, detection: Detection, platform: string): [ReplayOutcome, string] {
  const risk = roundedRisk(detection.risk)
  const again = `raw score ${detection.rawScore}, risk ${riskText(risk)}`
  if (Object.is(detection.rawScore, record.rawScore) && risk === record.risk) {
    return ['same', `The same bytes produced the same score, bit for bit: ${again}.`]
  }
  const differs = `The same bytes produced a different score: ${again}; recorded: raw score ${record.rawScore}, risk ${riskText(record.risk)}.`
  if (record.platform === platform) return ['score-differs', `${differs} The platform is the same, so this is a fault.`]
  return [
    'platform-differs',
    `${differs} The verdict was made on another platform: ${record.platform ?? 'not recorded'}.`,
  ]
}

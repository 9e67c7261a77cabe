import { type Command, Option } from 'commander'
import type { SettingKey } from '../config/settings.js'
import { MEDIA_TYPES, type MediaType } from '../core/media-types.js'
import { riskText } from '../core/risk.js'
import { safeJson } from '../core/safe-output.js'
import { EXIT } from '../core/shutdown.js'
import type { Detection, RiskyPart } from '../detect/detection.js'
import { EVEN_ODDS } from '../detect/package/calibration-schema.js'
import { doubtText, shareText } from '../detect/scoring/to-detection.js'
import { fileArgument } from './flags/files.js'
import { SCORING_KEYS, settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { printLines, printText } from './terminal/print.js'

const KEYS: readonly SettingKey[] = [
  ...SCORING_KEYS,
  'expectedShare',
  'ipfsGateways',
  'mediaMaxBytes',
  'mediaTimeoutMs',
  'dataDir',
]

interface ScoreFlags {
  readonly mediaType?: MediaType
  readonly explain?: string
  readonly json?: boolean
}

/** `attestd score`; no risk is a failure: the exit code is 0 wherever there is a score. */
export function scoreVerb(): Command {
  const verb = verbWithSettings(
    'score',
    'Score a file or an ipfs:// or https:// URI on this machine; nothing is submitted.',
    KEYS,
  )
    .argument('<file-or-uri>', 'what to score')
    .addOption(
      new Option('--media-type <type>', 'kind of media (default: detected from the bytes)').choices(MEDIA_TYPES),
    )
    .option('--explain <out.png>', 'also write the picture with the risk of its pieces over it; images only')
    .option('--json', 'the whole detection as JSON')
  return verb.action(async (target: string, { mediaType, explain, json }: ScoreFlags) => {
    const { isUri, scoreOnce } = await import('../app/verbs/score-once.js')
    const place = isUri(target) ? target : await fileArgument('<file-or-uri>', target)
    const request = { target: place, mediaType, heatMap: explain }
    const detection = await scoreOnce(settingsOf(verb).settings, request)
    if (json) printText(`${safeJson(detection, 2)}\n`)
    else printLines(detectionLines(detection))
    process.exitCode = EXIT.ok
  })
}

/** Parts that are listed one by one; all are in the JSON. */
const SHOWN_PARTS = 3

/** A detection for people: risk, doubt, what drove it, how re-encodings fare, what the file states. */
export function detectionLines(detection: Detection): string[] {
  const { detectorId, detectorVersion, expectedShare, risk, parts, variants, evidence, heatMap, notes } = detection
  const doubt = doubtText(detection)
  return [
    `risk ${riskText(risk)} of 100${expectedShare === EVEN_ODDS ? '' : `; ${shareText(expectedShare)}`}`,
    ...(doubt === null ? [] : [`unsure: it ${doubt}; the default policy abstains`]),
    `${detectorId}@${detectorVersion}: ${notes}`,
    ...list('highest parts', parts.slice(0, SHOWN_PARTS)),
    ...list('re-encoded', variants),
    ...(heatMap ? [heatMapText(heatMap)] : []),
    ...evidence.map(({ text }) => `the file states: ${text}`),
    ...(evidence.length === 0 ? [] : ['What a file states about itself can be forged; it does not affect the risk.']),
  ]
}

const heatMapText = ({ pieces, lowest, highest }: NonNullable<Detection['heatMap']>): string =>
  `heat map: ${pieces} pieces scored by themselves, risks ${riskText(lowest, 1)} to ${riskText(highest, 1)}`

function list(title: string, parts: readonly RiskyPart[]): string[] {
  if (parts.length === 0) return []
  return [`${title}: ${parts.map(({ name, risk }) => `${name} ${riskText(risk, 1)}`).join(', ')}`]
}

import path from 'node:path'
import { z } from 'zod'
import { choicesText, chosenDetectors } from '../../config/detector-choice.js'
import type { Settings } from '../../config/settings.js'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import type { Log } from '../../core/log.js'
import { readJson } from '../../core/text.js'
import type { DetectorChoice } from '../../detect/package/selection.js'
import type { SelectionState } from '../../fleet/daemon-card.js'
import { type DetectorOrder, detectorOrder, selectionSetting } from './detector-order.js'

const keptSelection = z.object({
  /** This daemon's own ATTESTD_DETECTORS when it carried the order out. */
  setting: selectionSetting,
  /** What it works with since; where it could not carry the order out, what it worked with before. */
  order: detectorOrder.refine(({ chosen }) => chosen === null || chosenDetectors.safeParse(chosen).success),
})
type KeptSelection = z.infer<typeof keptSelection>
type SelectionSettings = Pick<Settings, 'dataDir' | 'detectors'>

const fileOf = (dataDir: string) => path.join(dataDir, 'detectors.json')
const settingOf = ({ detectors }: SelectionSettings) => choicesText(detectors)

/** @param onUnreadable called where the file is there and cannot be read, as a power cut or a later release leaves one */
async function readKept(dataDir: string, onUnreadable: () => void = () => {}): Promise<KeptSelection | null> {
  const content = await readFileIfPresent(fileOf(dataDir))
  const kept = content && readJson(keptSelection, content.toString('utf8'))
  if (content && !kept) onUnreadable()
  return kept
}

/** What a reload chose stands until the setting is changed. @returns null where the setting counts */
const chosenInstead = (kept: KeptSelection | null, setting: string): string | null =>
  kept?.setting === setting ? kept.order.chosen : null

/** Which detectors a daemon works with: those of its setting, or those of the last order on its queue. */
export class DetectorSelection {
  readonly #file: string
  readonly #log: Log
  readonly #setting: string
  #order: DetectorOrder | null = null
  #result: Pick<SelectionState, 'outcome' | 'message' | 'lost'> = { outcome: 'done', message: '', lost: [] }
  #looked = false

  private constructor(settings: SelectionSettings, log: Log) {
    this.#file = fileOf(settings.dataDir)
    this.#setting = settingOf(settings)
    this.#log = log
  }

  /** Reads what the data directory keeps; a setting that was changed since goes before it. */
  static async open(settings: SelectionSettings, log: Log) {
    const selection = new DetectorSelection(settings, log)
    const [setting, file] = [selection.#setting, selection.#file]
    const kept = await readKept(settings.dataDir, () =>
      log.warn(
        { reason: 'data-dir-unusable', file, detectors: setting },
        'the selection of models reload could not be read; ATTESTD_DETECTORS applies',
      ),
    )
    const chosen = chosenInstead(kept, setting)
    if (chosen !== null) log.info({ detectors: chosen }, 'using detectors from the last reload')
    selection.#order = kept?.order ?? null
    if (kept && kept.setting !== setting) {
      if (kept.order.chosen !== null)
        log.info({ detectors: setting }, 'ATTESTD_DETECTORS changed, overriding the last reload')
      await selection.#keep({ ...kept.order, chosen: null, before: [], settings: [setting] })
    }
    return selection
  }

  get state(): SelectionState {
    const { chosen = null, id = null } = this.#order ?? {}
    return { setting: this.#setting, chosen, order: id, ...this.#result }
  }

  /** For a queue that has forgotten, such as an embedded one after a restart. */
  get order(): DetectorOrder | null {
    return this.#order
  }

  get choices(): DetectorChoice[] {
    return this.#choicesOf(this.state.chosen)
  }

  /**
   * Carries an order out, once. The first that is seen after a start was given before it, to daemons of other settings
   * perhaps: it holds here where it was given to one of the same setting.
   * @param reload resolves with the kinds of media that are left without a detector
   */
  async follow(order: DetectorOrder | null, reload: (choices: DetectorChoice[]) => Promise<string[]>): Promise<void> {
    const isFirst = !this.#looked
    this.#looked = true
    if (order === null || order.id === this.#order?.id) return
    if (isFirst && !order.settings.includes(this.#setting)) return this.#keep({ ...order, chosen: null, before: [] })
    try {
      const lost = await reload(this.#choicesOf(order.chosen))
      this.#result = { outcome: 'done', message: '', lost }
      await this.#keep(order)
    } catch (error) {
      const { message, reason } = toAttestdError(error)
      // It ends: its next run looks at the order.
      if (reason === 'draining') return
      this.#result = { outcome: reason, message, lost: [] }
      const { chosen = null, before = [] } = this.#order ?? {}
      await this.#keep({ ...order, chosen, before })
    }
  }

  #choicesOf(chosen: string | null): DetectorChoice[] {
    const { data, error } = chosenDetectors.safeParse(chosen ?? this.#setting)
    if (data) return data
    throw new AttestdError(
      'setting-invalid',
      `This release cannot read the detectors ${chosen}: ${error.issues[0]?.message}.`,
    )
  }

  async #keep(order: DetectorOrder): Promise<void> {
    this.#order = order
    const kept: KeptSelection = { setting: this.#setting, order }
    await writeFileAtomic(this.#file, `${JSON.stringify(kept)}\n`).catch((error) => {
      const { reason } = toAttestdError(error, 'data-dir-unusable')
      this.#log.warn({ reason, err: error }, 'the selection of detectors was not saved; it is lost at the next restart')
    })
  }
}

/** The detectors that a daemon of these settings would start with, and by whose word, for people. */
export async function selectionInForce(
  settings: SelectionSettings,
): Promise<{ detectors: DetectorChoice[]; summary: string }> {
  const setting = settingOf(settings)
  const chosen = chosenInstead(await readKept(settings.dataDir), setting)
  const detectors = chosen === null ? settings.detectors : chosenDetectors.parse(chosen)
  return { detectors, summary: selectionText({ setting, chosen }) }
}

export function selectionText({ chosen, setting }: Pick<SelectionState, 'setting' | 'chosen'>): string {
  const all = (text: string) => text || 'all packages except variants'
  if (chosen === null) return `detectors by ATTESTD_DETECTORS: ${all(setting)}`
  const until = `until ATTESTD_DETECTORS (now ${setting || 'empty'}) is changed, or models rollback`
  return `detectors by models reload: ${all(chosen)}; ${until}`
}

import { choiceText, chosenDetectors } from '../../config/detector-choice.js'
import type { Settings } from '../../config/settings.js'
import { toAttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { DetectorChoice } from '../../detect/package/selection.js'
import type { DetectorOrder } from './detector-order.js'
import { chosenInstead, type KeptSelection, keepSelection, readKeptSelection } from './kept-selection.js'

/** How a daemon stands to the last order, as it announces it. */
export interface SelectionState {
  /** Text of its own ATTESTD_DETECTORS. */
  readonly setting: string
  /** What it works with in its place; null: with the setting. */
  readonly chosen: string | null
  /** The last order that it has dealt with. */
  readonly order: string | null
  /** `done`, or the reason why it kept the detectors that it had. */
  readonly outcome: string
  readonly message: string
  /** Kinds of media that the order left without a detector here. */
  readonly lost: string[]
}

/** Which detectors a daemon works with: those of its setting, or those of the last order on its queue. */
export class DetectorSelection {
  readonly #dataDir: string
  readonly #log: Log
  readonly #setting: string
  #kept: KeptSelection | null
  #result: Pick<SelectionState, 'outcome' | 'message' | 'lost'> = { outcome: 'done', message: '', lost: [] }
  #looked = false

  private constructor(dataDir: string, setting: string, kept: KeptSelection | null, log: Log) {
    this.#dataDir = dataDir
    this.#setting = setting
    this.#kept = kept
    this.#log = log
  }

  /** Reads what the data directory keeps; a setting that was changed since goes before it. */
  static async open({ dataDir, detectors }: Pick<Settings, 'dataDir' | 'detectors'>, log: Log) {
    const setting = detectors.map(choiceText).join(',')
    const kept = await readKeptSelection(dataDir, (file) =>
      log.warn(
        { reason: 'data-dir-unusable', file, detectors: setting },
        'what models reload chose cannot be read, so the setting counts',
      ),
    )
    const stands = kept?.setting === setting
    const selection = new DetectorSelection(dataDir, setting, kept, log)
    const chosen = chosenInstead(kept, setting)
    if (chosen !== null) log.info({ detectors: chosen }, 'using detectors from the last reload')
    if (kept && !stands) {
      if (kept.order.chosen !== null)
        log.info({ detectors: setting }, 'ATTESTD_DETECTORS changed, overriding the last reload')
      await selection.#keep({ setting, order: { ...kept.order, chosen: null, before: [], settings: [setting] } })
    }
    return selection
  }

  get state(): SelectionState {
    const chosen = chosenInstead(this.#kept, this.#setting)
    return { setting: this.#setting, chosen, order: this.#kept?.order.id ?? null, ...this.#result }
  }

  /** For a queue that has forgotten, such as an embedded one after a restart. */
  get order(): DetectorOrder | null {
    return this.#kept?.order ?? null
  }

  /** What to start with. */
  get choices(): DetectorChoice[] {
    return this.#choicesOf(chosenInstead(this.#kept, this.#setting))
  }

  /**
   * Carries an order out, once. The first that is seen after a start was given before it, to daemons of other settings
   * perhaps: it holds here where it was given to one of the same setting.
   * @param reload resolves with the kinds of media that are left without a detector
   */
  async follow(order: DetectorOrder | null, reload: (choices: DetectorChoice[]) => Promise<string[]>): Promise<void> {
    const isFirst = !this.#looked
    this.#looked = true
    if (order === null || order.id === this.#kept?.order.id) return
    if (isFirst && !order.settings.includes(this.#setting)) {
      return this.#keep({ setting: this.#setting, order: { ...order, chosen: null, before: [] } })
    }
    try {
      const lost = await reload(this.#choicesOf(order.chosen))
      this.#result = { outcome: 'done', message: '', lost }
      await this.#keep({ setting: this.#setting, order })
    } catch (error) {
      const { message, reason } = toAttestdError(error)
      // It ends: its next run looks at the order.
      if (reason === 'draining') return
      this.#result = { outcome: reason, message, lost: [] }
      const { chosen = null, before = [] } = this.#kept?.order ?? {}
      await this.#keep({ setting: this.#setting, order: { ...order, chosen, before } })
    }
  }

  #choicesOf(chosen: string | null): DetectorChoice[] {
    return chosenDetectors.parse(chosen ?? this.#setting)
  }

  async #keep(kept: KeptSelection): Promise<void> {
    this.#kept = kept
    await keepSelection(this.#dataDir, kept).catch((error) => {
      const { reason } = toAttestdError(error, 'data-dir-unusable')
      this.#log.warn({ reason, err: error }, 'the selection of detectors was not kept, and ends with this run')
    })
  }
}

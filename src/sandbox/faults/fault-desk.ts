import {
  decideFault,
  type FaultPlan,
  type FaultPlanInput,
  FaultPlanSchema,
  type FaultRoute,
  type InjectedFault,
} from './faults.js'

/** Longest kept history of injected faults; older ones are dropped. */
const KEPT_INJECTIONS = 10_000

/** Counts requests by route and key, and decides the fault of each by the plan in force. */
export class FaultDesk {
  readonly #counts = new Map<string, { route: FaultRoute; key: string; count: number }>()
  #plan: FaultPlan
  #injected: InjectedFault[] = []

  constructor(plan: FaultPlanInput = {}) {
    this.#plan = FaultPlanSchema.parse(plan)
  }

  get plan(): FaultPlan {
    return this.#plan
  }

  /** Attempts are counted on, so that a plan set at run time sees the true number of each request. */
  setPlan(plan: FaultPlanInput): void {
    this.#plan = FaultPlanSchema.parse(plan)
  }

  /** Counts one request and states how it must go wrong, or null. */
  next(route: FaultRoute, key: string): { attempt: number; fault: InjectedFault | null } {
    const slot = `${route} ${key}`
    const attempt = (this.#counts.get(slot)?.count ?? 0) + 1
    this.#counts.set(slot, { route, key, count: attempt })
    const fault = decideFault(this.#plan, { route, key, attempt })
    if (fault !== null) this.#keep(fault)
    return { attempt, fault }
  }

  counts(): { route: FaultRoute; key: string; count: number }[] {
    return [...this.#counts.values()]
  }

  injected(): readonly InjectedFault[] {
    return this.#injected
  }

  reset(): void {
    this.#counts.clear()
    this.#injected = []
  }

  #keep(fault: InjectedFault): void {
    this.#injected.push(fault)
    if (this.#injected.length > KEPT_INJECTIONS) this.#injected.shift()
  }
}

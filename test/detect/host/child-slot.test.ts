import { expect, it } from 'vitest'
import type { MeasuredFile } from '../../../src/detect/contract/measurement.js'
import { ChildSlot, type SlotOptions } from '../../../src/detect/host/child-slot.js'
import type { ChildEnd, DetectorProcess } from '../../../src/detect/host/detector-process.js'
import { ManualClock, settle } from '../../support/manual-clock.js'

/** As much of a process as a slot sees. */
const aProcess = () => ({ alive: true, rssBytes: 0, kill: async () => {} })

it('is offered to the next job where its process died in a job and a successor took over first', async () => {
  const [first, successor] = [aProcess(), aProcess()]
  let warm = () => {}
  const launches = [Promise.resolve(first), new Promise<typeof first>((resolve) => (warm = () => resolve(successor)))]
  let ended: Parameters<SlotOptions['launch']>[0] = () => {}
  const offered: unknown[] = []
  const slot: ChildSlot = new ChildSlot({
    memoryBytes: 1,
    jobsPerChild: 1,
    clock: new ManualClock(),
    random: () => 1,
    closing: new AbortController().signal,
    renewing: { taken: false },
    launch: async (onEnd) => {
      ended = onEnd
      return (await launches.shift()) as unknown as DetectorProcess
    },
    // As the pool, which gives nothing to a slot at work.
    onFree: ({ busy, child }) => void (busy || child === null || offered.push(child)),
    onStartFailed: () => {},
  })
  const run = (job: Promise<MeasuredFile>) => {
    slot.busy = true
    return slot.busyUntil(job, slot.child!)
  }
  await slot.start()
  // The last job of the first process; meanwhile the slot is given to another one.
  const last = run(Promise.resolve({} as MeasuredFile))
  await last
  let fail = (_error: Error) => {}
  const next = run(new Promise((_, reject) => (fail = reject)))
  warm()
  await settle()
  first.alive = false
  ended(first as unknown as DetectorProcess, { cause: 'crashed', idle: false, output: '' } satisfies ChildEnd)
  expect(slot.child).toBe(successor)
  fail(new Error('it crashed'))
  await expect(next).rejects.toThrow('it crashed')
  expect(offered.at(-1)).toBe(successor)
})

import { expect, it } from 'vitest'
import { WaitingLine } from '../../../src/detect/host/waiting-line.js'

it('serves in order and says when nobody waits', async () => {
  const line = new WaitingLine<number>()
  const served = Promise.all([line.join(), line.join()])
  const cheap = expect.objectContaining({ isCostly: false })
  expect([line.handOut(1), line.handOut(2), line.handOut(3)]).toEqual([cheap, cheap, null])
  expect(await served).toEqual([1, 2])
})

it('lets an aborted one go and serves the next', async () => {
  const line = new WaitingLine<number>()
  const impatient = new AbortController()
  const first = line.join(impatient.signal)
  const second = line.join()
  impatient.abort(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  expect(line.handOut(7)).not.toBeNull()
  expect(await second).toBe(7)
})

it('does not take in one that is aborted already', async () => {
  const line = new WaitingLine<number>()
  await expect(line.join(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(line.handOut(1)).toBeNull()
})

it('an abort after the hand-out changes nothing', async () => {
  const line = new WaitingLine<number>()
  const late = new AbortController()
  const served = line.join(late.signal)
  const next = line.join()
  line.handOut(1)
  late.abort()
  line.handOut(2)
  expect(await Promise.all([served, next])).toEqual([1, 2])
})

it('dismisses all with an error', async () => {
  const line = new WaitingLine<number>()
  const all = Promise.allSettled([line.join(), line.join()])
  line.dismiss(new Error('closed'))
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(line.handOut(1)).toBeNull()
})

it('serves the cheap before the costly where it is asked to, each in their order', async () => {
  const line = new WaitingLine<number>()
  const costly = [line.join(undefined, true), line.join(undefined, true)]
  const cheap = [line.join(), line.join()]
  const served = [line.handOut(1, true), line.handOut(2), line.handOut(3, true), line.handOut(4, true)]
  expect(served.map((place) => place?.isCostly)).toEqual([false, true, false, true])
  expect(await Promise.all([...costly, ...cheap])).toEqual([2, 4, 1, 3])
})

import { expect, it } from 'vitest'
import { WaitingLine } from '../../../src/detect/host/waiting-line.js'

it('serves in order and reports when nobody waits', async () => {
  const line = new WaitingLine<number>()
  const served = Promise.all([line.join(), line.join()])
  const cheap = expect.objectContaining({ isCostly: false })
  expect([line.handOut(1), line.handOut(2), line.handOut(3)]).toEqual([cheap, cheap, null])
  expect(await served).toEqual([1, 2])
})

it('releases an aborted caller and serves the next', async () => {
  const line = new WaitingLine<number>()
  const impatient = new AbortController()
  const first = line.join(impatient.signal)
  const second = line.join()
  impatient.abort(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  expect(line.handOut(7)).not.toBeNull()
  expect(await second).toBe(7)
})

it('does not accept a caller that is already aborted', async () => {
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

it('serves the cheap before the costly where asked, each in their order', async () => {
  const line = new WaitingLine<number>()
  const costly = [line.join(undefined, true), line.join(undefined, true)]
  const cheap = [line.join(), line.join()]
  expect(line.costly).toBe(2)
  const served = [line.handOut(1, 9), line.handOut(2), line.handOut(3, 9), line.handOut(4, 9)]
  expect(served.map((place) => place?.isCostly)).toEqual([false, true, false, true])
  expect(await Promise.all([...costly, ...cheap])).toEqual([2, 4, 1, 3])
})

it('lets no more cheap callers pass the longest waiting costly one than allowed', async () => {
  const line = new WaitingLine<number>()
  const served: string[] = []
  const join = (name: string, isCostly: boolean) => void line.join(undefined, isCostly).then(() => served.push(name))
  for (const name of ['costly', 'second']) join(name, true)
  for (let turn = 0; turn < 8; turn++) {
    // Cheap ones never end.
    join(`cheap ${turn}`, false)
    line.handOut(turn, 3)
    await Promise.resolve()
  }
  expect(served.map((name) => name.split(' ')[0])).toEqual([
    'cheap',
    'cheap',
    'cheap',
    'costly',
    'cheap',
    'cheap',
    'cheap',
    'second',
  ])
})

import { expect, it } from 'vitest'
import { Admission } from '../../src/queue/admission.js'
import { settle } from '../support/manual-clock.js'

const calm = async () => false
const urgent = async () => true
const { signal } = new AbortController()

/** Asks for a place, and notes under this name when there is one. */
function ask(admission: Admission, name: string, admitted: string[], isUrgent = calm, own = signal) {
  void admission.enter(isUrgent, own).then((is) => is && admitted.push(name))
}

it('admits as many as there is room for, then the longest waiting, but urgent work first', async () => {
  const admission = new Admission(2)
  const admitted: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) ask(admission, name, admitted)
  ask(admission, 'e', admitted, urgent)
  await settle()
  expect(admitted).toEqual(['a', 'b'])
  expect([admission.mayPassOn(undefined), admission.enterNow()]).toEqual([false, false])
  for (const next of [['e'], ['e', 'c'], ['e', 'c', 'd']]) {
    admission.leave()
    await settle()
    expect(admitted.slice(2)).toEqual(next)
  }
  expect([admission.mayPassOn(undefined), admission.enterNow()]).toEqual([true, false])
  admission.leave()
  expect([admission.enterNow(), admission.enterNow()]).toEqual([true, false])
})

it('a caller that leaves while it waits takes no place, also while it is being chosen', async () => {
  const admission = new Admission(1)
  const admitted: string[] = []
  await admission.enter(calm, signal)
  const gone = new AbortController()
  const chosen = new AbortController()
  ask(admission, 'gone', admitted, calm, gone.signal)
  ask(
    admission,
    'chosen',
    admitted,
    async () => {
      chosen.abort()
      return true
    },
    chosen.signal,
  )
  ask(admission, 'last', admitted)
  gone.abort()
  admission.leave()
  await settle()
  expect(admitted).toEqual(['last'])
  expect(await admission.enter(calm, gone.signal)).toBe(false)
})

it('an engine that does not know what is urgent delays nobody', async () => {
  const admission = new Admission(1)
  const admitted: string[] = []
  await admission.enter(calm, signal)
  ask(admission, 'a', admitted, () => Promise.reject(new Error('away')))
  ask(admission, 'b', admitted, calm)
  admission.leave()
  await settle()
  expect(admitted).toEqual(['a'])
})

it('gives the place of a job that steps aside to another, and none more once it is back', async () => {
  const admission = new Admission(1, 1)
  const admitted: string[] = []
  for (const name of ['a', 'b', 'c']) ask(admission, name, admitted)
  await settle()
  expect([admission.stepAside(), admission.stepAside()]).toEqual([true, false])
  await settle()
  expect(admitted).toEqual(['a', 'b'])
  admission.comeBack()
  admission.leave()
  await settle()
  expect(admitted).toEqual(['a', 'b'])
  admission.leave()
  await settle()
  expect(admitted).toEqual(['a', 'b', 'c'])
})

it('lets a worker pass a place on to its next job unless another worker or a returning job needs it', async () => {
  const admission = new Admission(1, 1)
  const own = new AbortController()
  await admission.enter(calm, signal)
  ask(admission, 'own', [], calm, own.signal)
  expect([admission.mayPassOn(own.signal), admission.mayPassOn(undefined)]).toEqual([true, false])
  ask(admission, 'other', [], calm)
  expect(admission.mayPassOn(own.signal)).toBe(false)
  admission.stepAside()
  await settle()
  admission.comeBack()
  own.abort()
  expect(admission.mayPassOn(signal)).toBe(false)
})

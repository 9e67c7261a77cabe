import { expect, it } from 'vitest'
import { unlessAborted } from '../../src/core/abort.js'

const never = new Promise<never>(() => {})

it('hands over the outcome of the work, whether there is a signal or not', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1)
  expect(await unlessAborted(Promise.resolve(2), signal)).toBe(2)
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
})

it('rejects with the reason of the signal, at once and later', async () => {
  await expect(unlessAborted(never, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  const later = new AbortController()
  const watched = unlessAborted(never, later.signal)
  later.abort(new Error('meanwhile'))
  await expect(watched).rejects.toThrow('meanwhile')
})

it('does not leave a late failure of the work unhandled', async () => {
  let fail = (_error: Error) => {}
  const work = new Promise<never>((_, reject) => {
    fail = reject
  })
  const unhandled: unknown[] = []
  const listen = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', listen)
  await expect(unlessAborted(work, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  fail(new Error('late'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', listen)
  expect(unhandled).toEqual([])
})

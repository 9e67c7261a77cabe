import { expect, it } from 'vitest'
import { StreamHub } from '../../../src/sandbox/stream/stream-hub.js'

it('all streams are cut at once, also where one takes itself out by it', () => {
  const hub = new StreamHub()
  const cut: string[] = []
  const forget = hub.add(() => {
    cut.push('a')
    forget()
  })
  hub.add(() => cut.push('b'))()
  hub.add(() => cut.push('c'))
  expect([hub.size, hub.cutAll(), hub.size]).toEqual([2, 2, 1])
  expect(cut).toEqual(['a', 'c'])
})

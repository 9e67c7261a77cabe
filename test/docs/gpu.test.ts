import { expect, it } from 'vitest'
import { runtimeSchema } from '../../src/detect/package/runtime.js'
import { read } from './pages.js'

it('the runtime in docs/gpu.md is accepted by a manifest', () => {
  const [, json = ''] = /```json\n(.*?)```/s.exec(read('docs/gpu.md')) ?? []
  expect(runtimeSchema.parse(JSON.parse(json))).toMatchObject({ kind: 'remote', input: ['pixel_values'] })
})

import { expect, it } from 'vitest'
import { z } from 'zod'
import { read } from './pages.js'

const locked = z.object({
  engines: z.looseObject({ node: z.string().optional() }).optional(),
  hasInstallScript: z.boolean().optional(),
  optional: z.boolean().optional(),
})
const { packages } = z
  .object({ packages: z.record(z.string(), locked) })
  .parse(JSON.parse(read('package-lock.json').replaceAll('"engines": []', '"engines": {}')))

/** Whether one of the alternatives, such as `^20.19.0 || >=22.12.0`, lets Node 20.19 in. */
const takesNode20 = (range: string) =>
  range.split('||').some((one) => {
    const [, sign = '', major = '0'] = /^\s*(>=?|\^|~)?\s*v?(\d+)/.exec(one) ?? []
    return sign.startsWith('>') ? Number(major) <= 20 : major === '20' || !/\d/.test(one)
  })

it('every required package supports Node 20, so that npm ci prints no warning', () => {
  const others = Object.entries(packages).filter(
    ([, { engines, optional }]) => !optional && !takesNode20(engines?.node ?? '*'),
  )
  expect(others.map(([name]) => name)).toEqual([])
})

// Older releases of npm know no allowScripts; they run what the lockfile marks. This script downloads GPU libraries.
// An `npm install` marks it again: take the line out of package-lock.json.
it('no npm runs the install script of onnxruntime-node', () => {
  expect(packages['node_modules/onnxruntime-node']?.hasInstallScript).toBeUndefined()
})

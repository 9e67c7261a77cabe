import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { loadPackage } from '../../../src/detect/package/package-loader.js'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import { attestdVerb } from '../../support/attestd-verb.js'
import { writeModulePackage } from '../../support/other-packages.js'
import { folderForEach } from '../../support/temporary-folder.js'

const root = folderForEach()
let folder: string
beforeEach(async () => {
  folder = await writeModulePackage(root, { 'main.mjs': moduleOf(3) })
})

const moduleOf = (logit: number) =>
  `export const createDetector = () => ({ measure: async () => ({ logit: ${logit} }) })\n`
const seal = (...args: string[]) => attestdVerb(['models', 'seal', folder, ...args], {})

/** Rewrites the manifest, as a person does in an editor. */
async function edit(change: (manifest: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
  const file = path.join(folder, 'detector.json')
  await fs.writeFile(file, JSON.stringify(change(JSON.parse(await fs.readFile(file, 'utf8')))))
}

it('completes a manifest: digests, risk and version; then keeps it until a file changes', async () => {
  await edit((manifest) => ({ ...manifest, files: undefined, version: undefined, selfTest: { file: 'sample.txt' } }))
  expect(await seal()).toMatchObject({ code: 0, out: expect.stringContaining('Sealed: by-module@1.0.0') })
  const sealed = (await loadPackage(folder)).manifest
  expect(Object.keys(sealed.files)).toEqual(['main.mjs', 'sample.txt'])
  expect(sealed.selfTest).toEqual({ file: 'sample.txt', risk: Number(sigmoid(3).toFixed(4)), tolerance: 0.02 })
  const text = await fs.readFile(path.join(folder, 'detector.json'), 'utf8')
  expect((await seal()).out).toContain('by-module@1.0.0 is already complete; nothing was written.')
  expect(await fs.readFile(path.join(folder, 'detector.json'), 'utf8')).toBe(text)

  await fs.writeFile(path.join(folder, 'main.mjs'), moduleOf(-1))
  expect((await seal()).out).toContain('Sealed: by-module@1.0.1')
  expect((await loadPackage(folder)).manifest.selfTest.risk).toBeCloseTo(sigmoid(-1), 3)
  expect((await seal('--set-version', '2.0.0-rc.1')).out).toContain('Sealed: by-module@2.0.0-rc.1')
})

it.each<[string, (manifest: Record<string, unknown>) => Record<string, unknown>, string]>([
  ['a file', (manifest) => ({ ...manifest, runtime: { kind: 'module', module: 'other.mjs' } }), 'other.mjs'],
  ['a field', (manifest) => ({ ...manifest, calibration: undefined }), 'calibration: '],
  [
    'the folder of its id',
    (manifest) => ({ ...manifest, id: 'other' }),
    'id: is other, but the folder is named by-module',
  ],
])('names %s that is missing', async (_, change, named) => {
  await edit(change)
  const before = await fs.readFile(path.join(folder, 'detector.json'), 'utf8')
  const { code, err } = await seal()
  expect({ code, err }).toEqual({ code: 78, err: expect.stringContaining(named) })
  expect(await fs.readFile(path.join(folder, 'detector.json'), 'utf8')).toBe(before)
})

it('without a manifest names the examples', async () => {
  await fs.rm(path.join(folder, 'detector.json'))
  expect(await seal()).toMatchObject({ code: 78, err: expect.stringContaining('config/detectors/') })
  expect((await fs.readdir(packagePath('config', 'detectors'))).length).toBeGreaterThan(0)
})

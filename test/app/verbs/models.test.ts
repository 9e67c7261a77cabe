import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { surveyModels, unlistedIn, weightsLines } from '../../../src/app/verbs/models.js'
import { loadSettings } from '../../../src/config/load.js'
import { tinyManifest, writeTinyPackage } from '../../support/detector-package.js'
import { folderForEach } from '../../support/temporary-folder.js'

const root = folderForEach()

const at = (...names: string[]) => path.join(root, ...names)

describe('the models directory', () => {
  const survey = (detectors = '') =>
    surveyModels(loadSettings({ env: { ATTESTD_MODELS_DIR: root, ATTESTD_DETECTORS: detectors } }).settings)

  const writeFigures = async (id: string, figures: object) => {
    await fs.mkdir(at(id, 'evaluation'))
    await fs.writeFile(at(id, 'evaluation', 'calibration.json'), JSON.stringify(figures))
  }

  it('is listed by name, a broken package with its fault', async () => {
    await writeTinyPackage(root, { id: 'b-good' })
    for (const name of ['a-empty', '.import-x']) await fs.mkdir(at(name))
    await writeTinyPackage(root, { id: 'c-broken', manifest: { aggregation: 'guess' } })
    await fs.writeFile(at('a-file'), '')
    const found = await survey()
    expect(found.map(({ id, version }) => [id, version])).toEqual([
      ['a-empty', null],
      ['b-good', '1.0.0'],
      ['c-broken', null],
    ])
    expect(found[1]).toMatchObject({
      mediaTypes: ['image'],
      part: { shadow: false },
      summary: tinyManifest('', {}).title,
    })
    expect(found[0]?.summary).toMatch(/^\[manifest-invalid\] .*a-empty.detector\.json cannot be read \(ENOENT\)/)
    expect(found[2]?.summary).toMatch(/^\[manifest-invalid\] /)
  })

  it('lists the part that the settings give each package, or none', async () => {
    await writeTinyPackage(root, { id: 'a' })
    await writeTinyPackage(root, { id: 'b' })
    const parts = async (detectors: string) => (await survey(detectors)).map(({ part }) => part)
    expect(await parts('')).toMatchObject([{ weight: 1 }, { weight: 1 }])
    expect(await parts('a=3')).toMatchObject([{ weight: 3, shadow: false }, null])
    expect(await parts('a=shadow,b=canary:7')).toMatchObject([{ shadow: true }, { canary: 7 }])
  })

  it('states how to use a package that no list names', async () => {
    for (const id of ['a', 'attestd-image']) await writeTinyPackage(root, { id })
    const line =
      'a is not in the list of detectors, so it runs as a shadow; to let it score: attestd models reload --detectors "attestd-image=1,a,*=shadow"'
    expect(unlistedIn(await survey())).toEqual([line])
    expect(unlistedIn(await survey('attestd-image,*=shadow'))).toEqual([line])
    expect(unlistedIn(await survey('attestd-image,a'))).toEqual([])
  })

  it('states whose weights may be used commercially, and the accuracy of their verdicts', async () => {
    await writeTinyPackage(root, { id: 'a' })
    await writeTinyPackage(root, { id: 'b', manifest: { openWeights: true } })
    const figures = { decided: 0.6, right: 0.88, rightWhenFake: 0.9, rightWhenReal: 0.85, rightAtLeast: 0.8 }
    await writeFigures('b', { bandAfter: { low: 0.45, high: 0.55, ...figures } })
    const found = await survey()
    expect(found[1]).toMatchObject({ openWeights: true, verdicts: figures })
    expect(weightsLines(found).slice(0, 2)).toEqual([
      'commercial use allowed: b (decides 60.0 %, 88.0 % right)',
      'research and evaluation only: a',
    ])
  })

  it.each([
    ['another package', { detector: { id: 'original' } }, {}],
    ['another decision band', {}, { low: 0.3 }],
  ])('shows no figures that a copied folder brought along and that belong to %s', async (_, facts, band) => {
    await writeTinyPackage(root, { id: 'copy' })
    const figures = { decided: 0.6, right: 0.88, rightWhenFake: 0.9, rightWhenReal: 0.85, rightAtLeast: 0.8 }
    await writeFigures('copy', { ...facts, bandAfter: { low: 0.45, high: 0.55, ...band, ...figures } })
    expect(await survey()).toMatchObject([{ id: 'copy', verdicts: null }])
  })

  it.each(['{"bandAf', '{"temperature": 1.3}', 'null'])(
    'is a package whatever its calibration.json contains: %s',
    async (text) => {
      await writeTinyPackage(root, { id: 'a' })
      await fs.mkdir(at('a', 'evaluation'))
      await fs.writeFile(at('a', 'evaluation', 'calibration.json'), text)
      expect(await survey()).toMatchObject([{ version: '1.0.0', verdicts: null, part: { shadow: false } }])
    },
  )

  it('that is missing is an error', async () => {
    const settings = loadSettings({ env: { ATTESTD_MODELS_DIR: at('absent') } }).settings
    await expect(surveyModels(settings)).rejects.toMatchObject({ reason: 'setting-invalid' })
  })
})

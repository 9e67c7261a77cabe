import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { choicesIn, partInScores } from '../../../src/detect/package/selection.js'

describe('the choices of a folder', () => {
  const shadow = (id: string) => ({ id, shadow: true, unlisted: true })
  it.each([
    [
      'without a list, what comes with attestd counts, and what was copied to it is a shadow',
      ['attestd-image', 'mine'],
      [],
      [{ id: 'attestd-image' }, shadow('mine')],
    ],
    [
      'without a list, all packages of a folder without those of attestd count',
      ['mine', 'yours'],
      [],
      [{ id: 'mine' }, { id: 'yours' }],
    ],
    ['a list alone', ['attestd-image', 'mine'], [{ id: 'mine' }], [{ id: 'mine' }]],
    [
      'a list and all others as shadows',
      ['attestd-image', 'mine', 'yours'],
      [
        { id: 'mine', weight: 2 },
        { id: '*', shadow: true },
      ],
      [{ id: 'mine', weight: 2 }, shadow('attestd-image'), shadow('yours')],
    ],
  ])('%s', (_, available, list, choices) => {
    expect(choicesIn(available, list)).toEqual(choices)
  })

  it('apply to the folders of models/ that come with attestd, and to no other', () => {
    const shipped = fs
      .readdirSync(packagePath('models'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
    const ids = shipped.map(({ name }) => name)
    expect(choicesIn([...ids, 'mine'], [])).toEqual([...ids.map((id) => ({ id })), shadow('mine')])
  })
})

describe('partInScores', () => {
  const manifest = { weight: 2, shadow: true }
  it.each([
    [{ id: 'a' }, { weight: 2, shadow: true }],
    [
      { id: 'a', weight: 5 },
      { weight: 5, shadow: false },
    ],
    [
      { id: 'a', weight: 5, shadow: true },
      { weight: 5, shadow: true },
    ],
    [
      { id: 'a', shadow: false },
      { weight: 2, shadow: false },
    ],
    [
      { id: 'a', canary: 10 },
      { weight: 2, shadow: false, canary: 10 },
    ],
  ])('%j: the setting of the operator overrides that of the package', (choice, part) => {
    expect(partInScores(choice, manifest)).toEqual(part)
  })
})

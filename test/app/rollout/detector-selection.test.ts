import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type DetectorOrder, readOrder } from '../../../src/app/rollout/detector-order.js'
import { DetectorSelection, selectionInForce } from '../../../src/app/rollout/detector-selection.js'
import { chosenDetectors } from '../../../src/config/detector-choice.js'
import { AttestdError } from '../../../src/core/errors.js'
import { silentLog } from '../../../src/core/log.js'
import type { DetectorChoice } from '../../../src/detect/package/selection.js'
import { KeptLog } from '../../support/kept-log.js'
import { folderForEach } from '../../support/temporary-folder.js'

const dataDir = folderForEach()

const settings = (text: string) => ({ dataDir, detectors: chosenDetectors.parse(text) })
const open = (text: string) => DetectorSelection.open(settings(text), silentLog)
const order = (id: string, chosen: string | null, change: Partial<DetectorOrder> = {}): DetectorOrder => ({
  id,
  chosen,
  before: [],
  settings: ['a'],
  ...change,
})

/** A reload that keeps what it was asked for. */
function reloads(lost: string[] = []) {
  const asked: string[] = []
  const reload = async (choices: DetectorChoice[]) => {
    asked.push(choices.map(({ id }) => id).join(','))
    return lost
  }
  return { asked, reload }
}

const file = () => path.join(dataDir, 'detectors.json')
const kept = async () => JSON.parse(await fs.readFile(file(), 'utf8'))

const fails = (reason: 'manifest-invalid' | 'draining') => async () => Promise.reject(new AttestdError(reason, 'no'))

describe('the detectors of a daemon', () => {
  it('are those of its setting where there is no order', async () => {
    const selection = await open('a=2,b=shadow')
    expect(selection.state).toEqual({
      setting: 'a=2,b=shadow',
      chosen: null,
      order: null,
      outcome: 'done',
      message: '',
      lost: [],
    })
    expect(selection.choices).toMatchObject([
      { id: 'a', weight: 2 },
      { id: 'b', shadow: true },
    ])
    expect(selection.order).toBeNull()
  })

  it('are those of an order from then on, also after a restart', async () => {
    const { asked, reload } = reloads(['audio'])
    const selection = await open('a')
    await selection.follow(order('1', 'b'), reload)
    expect(asked).toEqual(['b'])
    expect(selection.state).toMatchObject({ chosen: 'b', order: '1', outcome: 'done', lost: ['audio'] })
    const again = await open('a')
    expect(again.state).toMatchObject({ chosen: 'b', order: '1', lost: [] })
    expect(again.choices.map(({ id }) => id)).toEqual(['b'])
  })

  it('stay where this release cannot read the order of a later one, also after a restart', async () => {
    const { asked, reload } = reloads()
    const selection = await open('a')
    await selection.follow(order('1', 'b'), reload)
    await selection.follow(order('2', 'a,?=later'), reload)
    expect(asked).toEqual(['b'])
    const message = expect.stringMatching(/^This release cannot read the detectors a,\?=later: .*id=shadow/)
    expect(selection.state).toMatchObject({ chosen: 'b', order: '2', outcome: 'setting-invalid', message })
    await fs.writeFile(file(), JSON.stringify({ setting: 'a', order: order('3', 'a,?=later') }))
    expect((await open('a')).choices.map(({ id }) => id)).toEqual(['a'])
  })

  it('are not reloaded after a restart for an order that the data directory already has', async () => {
    const { asked, reload } = reloads()
    await (await open('a')).follow(order('1', 'b'), reload)
    await (await open('a')).follow(order('1', 'b'), reload)
    expect(asked).toEqual(['b'])
  })

  it('return to those of the setting by an order that selects none', async () => {
    const { asked, reload } = reloads()
    const selection = await open('a')
    await selection.follow(order('1', 'b'), reload)
    await selection.follow(order('2', null), reload)
    expect(asked).toEqual(['b', 'a'])
    expect(selection.state.chosen).toBeNull()
  })

  it('are those of the setting once the operator changes it, whatever was ordered before', async () => {
    const { reload } = reloads()
    await (await open('a')).follow(order('1', 'b'), reload)
    const changed = await open('c')
    expect(changed.state).toMatchObject({ setting: 'c', chosen: null, order: '1' })
    expect(changed.choices.map(({ id }) => id)).toEqual(['c'])
    expect(await kept()).toMatchObject({ setting: 'c', order: { chosen: null, settings: ['c'] } })
    // Changing it back does not bring the order back.
    expect((await open('a')).state.chosen).toBeNull()
  })
})

describe('an order given before the start', () => {
  it('is followed if it was given to a daemon of the same setting', async () => {
    const { asked, reload } = reloads()
    const selection = await open('a')
    await selection.follow(order('1', 'b', { settings: ['x', 'a'] }), reload)
    expect(asked).toEqual(['b'])
  })

  it('is ignored if it was given to others, and not read again', async () => {
    const { asked, reload } = reloads()
    const selection = await open('c')
    await selection.follow(order('1', 'b'), reload)
    expect(selection.state).toMatchObject({ chosen: null, order: '1' })
    await selection.follow(order('1', 'b'), reload)
    expect(asked).toEqual([])
    await selection.follow(order('2', 'd'), reload)
    expect(asked).toEqual(['d'])
  })

  it('is only one that exists at the first reading', async () => {
    const { asked, reload } = reloads()
    const selection = await open('c')
    await selection.follow(null, reload)
    await selection.follow(order('1', 'b'), reload)
    expect(asked).toEqual(['b'])
  })
})

describe('an order that cannot be followed', () => {
  it('keeps the current detectors, and reports why', async () => {
    const selection = await open('a')
    await selection.follow(order('1', 'b'), reloads().reload)
    await selection.follow(order('2', 'broken', { before: ['b'] }), fails('manifest-invalid'))
    expect(selection.state).toMatchObject({ chosen: 'b', order: '2', outcome: 'manifest-invalid', message: 'no' })
    expect(selection.choices.map(({ id }) => id)).toEqual(['b'])
    // Nor is it tried again by the next run.
    expect((await open('a')).state).toMatchObject({ chosen: 'b', order: '2' })
  })

  it('is replaced by the next one that can', async () => {
    const selection = await open('a')
    await selection.follow(order('1', 'broken'), fails('manifest-invalid'))
    await selection.follow(order('2', 'b'), reloads().reload)
    expect(selection.state).toMatchObject({ chosen: 'b', outcome: 'done', message: '' })
  })

  it('because the daemon stops is followed by its next run', async () => {
    const selection = await open('a')
    await selection.follow(order('1', 'b'), fails('draining'))
    expect(selection.state).toMatchObject({ order: null, outcome: 'done' })
    const { asked, reload } = reloads()
    await (await open('a')).follow(order('1', 'b'), reload)
    expect(asked).toEqual(['b'])
  })
})

describe('the selection in the data directory', () => {
  it('is empty where the file is missing, broken, or of another shape', async () => {
    for (const text of ['', '{', '[]', '{"setting":"a"}', '{"setting":"a","order":{"id":""}}']) {
      await fs.writeFile(file(), text)
      expect((await open('a')).state).toMatchObject({ chosen: null, order: null })
    }
  })

  it('that cannot be read is reported, because the setting applies then', async () => {
    const log = new KeptLog()
    await DetectorSelection.open(settings('a'), log)
    expect(log.lines).toEqual([])
    await fs.writeFile(path.join(dataDir, 'detectors.json'), '')
    await DetectorSelection.open(settings('a'), log)
    expect(log.lines).toMatchObject([{ reason: 'data-dir-unusable', file: path.join(dataDir, 'detectors.json') }])
  })

  it('may fail to be saved in a removed directory: the daemon uses it all the same', async () => {
    const log = new KeptLog()
    const selection = await DetectorSelection.open(settings('a'), log)
    await fs.rm(dataDir, { recursive: true })
    await selection.follow(order('1', 'b'), reloads().reload)
    expect(selection.state).toMatchObject({ chosen: 'b', outcome: 'done' })
    expect(log.lines).toMatchObject([{ reason: 'data-dir-unusable' }])
    await fs.mkdir(dataDir)
  })

  it('applies to its own setting only', async () => {
    await (await open('a')).follow(order('1', 'b'), reloads().reload)
    expect((await selectionInForce(settings('a'))).detectors).toEqual(chosenDetectors.parse('b'))
    expect((await selectionInForce(settings('a=1'))).detectors).toEqual(chosenDetectors.parse('a=1'))
  })
})

it.each([
  ['a,b', null, 'detectors by ATTESTD_DETECTORS: a,b'],
  ['', null, 'detectors by ATTESTD_DETECTORS: all packages except variants'],
  ['a', 'b', 'detectors by models reload: b; until ATTESTD_DETECTORS (now a) is changed, or models rollback'],
  ['', 'b', 'detectors by models reload: b; until ATTESTD_DETECTORS (now empty) is changed, or models rollback'],
])('for people the setting %j and %j chosen instead read: %s', async (setting, chosen, summary) => {
  if (chosen !== null) await fs.writeFile(file(), JSON.stringify({ setting, order: order('1', chosen) }))
  const inForce = await selectionInForce(settings(setting))
  expect(inForce.summary).toBe(summary)
  expect(inForce.detectors).toEqual(chosenDetectors.parse(chosen ?? setting))
})

describe('an order on the queue', () => {
  it('is read as it was written', () => {
    const one = order('1', 'b', { before: ['a'] })
    expect(readOrder(JSON.stringify(one))).toEqual(one)
  })

  it.each([
    null,
    '',
    '{',
    '{}',
    JSON.stringify({ ...order('1', null), id: '' }),
    JSON.stringify({ ...order('1', null), before: [null, 'b'] }),
    JSON.stringify({ ...order('1', 'x'.repeat(10_001)) }),
  ])('that is malformed is skipped: %.40j', (text) => {
    expect(readOrder(text)).toBeNull()
  })
})

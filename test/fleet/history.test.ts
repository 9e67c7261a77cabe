import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { riskOfPercent } from '../../src/core/risk.js'
import { HISTORY_EVERY_MS, History } from '../../src/fleet/history.js'
import { EMPTY, FULL } from '../observe/console/history-points.js'
import { recentRow } from '../support/fleet-cards.js'
import { folderForTest } from '../support/temporary-folder.js'

describe('History', () => {
  it('keeps the last hour, oldest first', () => {
    const history = new History()
    for (let at = 0; at <= 360; at++) history.add({ ...EMPTY, at })
    expect(history.points).toHaveLength(360)
    expect([history.points[0]?.at, history.points.at(-1)?.at]).toEqual([1, 360])
    expect((history.points.length * HISTORY_EVERY_MS) / 60_000).toBe(60)
  })

  it('returns a list that does not change', () => {
    const history = new History()
    history.add(EMPTY)
    const before = history.points
    history.add(FULL)
    expect(before).toEqual([EMPTY])
  })

  describe('kept in a file', () => {
    const NOW = 2 * 360 * HISTORY_EVERY_MS
    const row = (assetId: string) => recentRow({ at: NOW, assetId, risk: riskOfPercent(12.5), algorithm: 'image@1' })

    async function newFile(): Promise<string> {
      const folder = await folderForTest()
      return path.join(folder, 'history.json')
    }

    it('comes before what the next run records, with its rows', async () => {
      const file = await newFile()
      const history = new History()
      history.add({ ...FULL, at: NOW - 20_000 })
      history.add({ ...EMPTY, at: NOW - 10_000 })
      await history.keep(file, [row('b'), row('a')])
      const next = new History()
      next.add({ ...EMPTY, at: NOW })
      expect(await next.restore(file, NOW)).toEqual([row('b'), row('a')])
      expect(next.points).toEqual([...history.points, { ...EMPTY, at: NOW }])
    })

    it('is kept where a message is longer than what is stored of it', async () => {
      const file = await newFile()
      const history = new History()
      history.add({ ...FULL, at: NOW })
      await history.keep(file, [{ ...row('a'), message: 'gateway failed; '.repeat(40) }, row('b')])
      const next = new History()
      const [long, short] = await next.restore(file, NOW)
      expect(next.points).toEqual(history.points)
      expect([long?.message?.length, short]).toEqual([300, row('b')])
    })

    it('ends after an hour, and where the clock was set back', async () => {
      const file = await newFile()
      const history = new History()
      for (const at of [NOW - 360 * HISTORY_EVERY_MS, NOW - 359 * HISTORY_EVERY_MS, NOW + 1])
        history.add({ ...EMPTY, at })
      await history.keep(file, [])
      const next = new History()
      await next.restore(file, NOW)
      expect(next.points.map(({ at }) => at)).toEqual([NOW - 359 * HISTORY_EVERY_MS])
    })

    it.each([null, '', '{', '{"points":[{}],"rows":[]}'])('starts over where the file contains %j', async (text) => {
      const file = await newFile()
      if (text !== null) await fs.writeFile(file, text)
      const history = new History()
      expect(await history.restore(file, NOW)).toEqual([])
      expect(history.points).toEqual([])
    })
  })
})

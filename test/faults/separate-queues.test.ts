import { expect, it } from 'vitest'
import { runRace } from '../support/fault-race.js'
import { onEachApi } from '../support/fault-run.js'

const ASSETS = 30

onEachApi('two daemons as one attester on separate queues', (api) => {
  it('miss nothing and never knowingly send twice, seed apart', async () => {
    const race = await runRace({ daemons: 2, assets: ASSETS, seed: 'apart', api })
    expect(race).toMatchObject({ assets: ASSETS, missed: 0, knowingly: 0, repeated: 0 })
    // Every send came right after an answer that said "no score yet".
    expect(race.windowsMs.every((ms) => ms >= 0)).toBe(true)
  })
})

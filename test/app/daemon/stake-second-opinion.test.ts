import { expect, it } from 'vitest'
import { StakeSecondOpinion } from '../../../src/app/daemon/stake-second-opinion.js'
import type { OutageLine } from '../../../src/observe/throttled-log.js'

const reading = (stakedWei: bigint, minStakeWei = 5n) => ({
  stakedWei,
  minStakeWei,
  roles: { attester: true, submitter: false },
  blockNumber: 7n,
})

function opinion() {
  const reported: OutageLine[] = []
  let counted = 0
  const addTo = (by: number) => {
    counted += by
  }
  const second = new StakeSecondOpinion({
    metrics: { stakeDisagreements: { inc: (_labels, by = 1) => addTo(by) } },
    outages: { trouble: (line) => void reported.push(line) },
  })
  return { second, reported, counted: () => counted }
}

it('the stake that the service states between two equal contract readings is compared; a difference is counted and logged with both', () => {
  const { second, reported, counted } = opinion()
  second.read(reading(9n))
  second.reported({ stakedWei: 9n, minStakeWei: 5n })
  second.read(reading(9n))
  expect(counted()).toBe(0)
  second.reported({ stakedWei: 4n, minStakeWei: 5n })
  second.read(reading(9n))
  expect(counted()).toBe(1)
  expect(reported).toMatchObject([
    { reason: 'stake-disagreement', facts: { reportedWei: '4', onChainWei: '9', onChainMinWei: '5', block: '7' } },
  ])
})

it.each([
  [
    'while the stake changes, each side may see it first',
    [reading(9n), reading(12n)],
    { stakedWei: 12n, minStakeWei: 5n },
  ],
  ['without a word of the service', [reading(9n), reading(9n)], null],
  ['before a second reading', [reading(9n)], { stakedWei: 4n, minStakeWei: 5n }],
])('nothing is compared %s', (_name, readings, reported) => {
  const { second, counted } = opinion()
  for (const [nth, one] of readings.entries()) {
    if (nth === readings.length - 1 && reported) second.reported(reported)
    second.read(one)
  }
  expect(counted()).toBe(0)
})

it('a different minimum is a difference too, and each stated stake is compared once', () => {
  const { second, counted } = opinion()
  second.read(reading(9n))
  second.reported({ stakedWei: 9n, minStakeWei: 6n })
  second.read(reading(9n))
  second.read(reading(9n))
  expect(counted()).toBe(1)
})

import type { TestContext } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import { type AnvilOptions, type AnvilProcess, findAnvil, startAnvil } from './anvil-process.js'

/** The anvil to test with; null where there is none, and the tests that need it are skipped. */
export const anvil = findAnvil(process.env.PATH)

/** Starts an anvil that ends with the test. Base Sepolia's chain id, unless set otherwise. */
export async function anvilFor(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options: Partial<AnvilOptions> = {},
): Promise<AnvilProcess> {
  if (anvil === null) throw new Error('there is no anvil')
  const started = await startAnvil({ binary: anvil, chainId: 84532, clock: systemClock, ...options })
  onTestFinished(() => started.stop())
  return started
}

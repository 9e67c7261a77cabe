import { onTestFinished, type TestContext } from 'vitest'
import { type BenchOptions, DaemonBench } from './daemon-bench.js'

/**
 * A bench with an empty queue for its daemon, disposed of after the test that runs.
 * @param context of a test that runs beside others, which vitest cannot find by itself
 */
export async function benchOfTest(
  options: BenchOptions = {},
  context: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<DaemonBench> {
  const bench = await DaemonBench.create(options)
  context.onTestFinished(() => bench.dispose())
  await bench.prepare()
  return bench
}

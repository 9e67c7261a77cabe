import type { TestContext } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { startSandbox } from '../support/sandbox.js'
import { folderForTest } from '../support/temporary-folder.js'

/** The file that is registered. */
export const picture = packagePath('samples', 'coffee.jpg')

/** A sandbox and a folder until the test ends. @param context of the test, since tests here run beside each other */
export async function sandboxBench(
  context: Pick<TestContext, 'onTestFinished'>,
  options: Parameters<typeof startSandbox>[0] = {},
): Promise<{ sandbox: Sandbox; folder: string }> {
  const sandbox = await startSandbox(options)
  context.onTestFinished(() => sandbox.close())
  return { sandbox, folder: await folderForTest(context) }
}

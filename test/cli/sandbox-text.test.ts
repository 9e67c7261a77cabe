import { expect, it } from 'vitest'
import { sandboxText } from '../../src/cli/sandbox-text.js'
import { startSandbox } from '../support/sandbox.js'

it('the sandbox prints the id that revokes each of its keys', async ({ onTestFinished }) => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const text = sandboxText(sandbox, { secrets: null, auth: true })
  for (const { id, accessKey } of sandbox.world.keys.all()) {
    expect(text.split('\n').find((line) => line.includes(accessKey))).toContain(`(id ${id})`)
  }
})

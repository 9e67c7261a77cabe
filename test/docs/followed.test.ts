import { expect, it } from 'vitest'
import { sandboxText } from '../../src/cli/sandbox-text.js'
import { startSandbox } from '../support/sandbox.js'
import { read } from './pages.js'

it('the page of wallet sessions names a command by the words that the sandbox prints before it', async ({
  onTestFinished,
}) => {
  const running = await startSandbox()
  onTestFinished(() => running.close())
  const page = read('docs/wallet-session.md').replaceAll(/\s+/g, ' ')
  const [, words] = /command that it prints after "([^"]+)"/.exec(page)!
  const [, after] = sandboxText(running, { secrets: null, auth: true }).split(words!)
  expect(after).toMatch(/^:\n +ATTESTD_SERVICE_API=wallet-session/)
})

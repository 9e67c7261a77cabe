import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSignedKeyService } from '../../src/service/signed-key/attester-service.js'
import { startSandbox } from '../support/sandbox.js'
import { defaultsFor } from './local-service.js'

const content = new Uint8Array(300_000).map((_, index) => (index * 31) % 251)
const contentHash = `0x${createHash('sha256').update(content).digest('hex')}`

async function bench(onTestFinished: (close: () => Promise<void>) => void, uploadLimitBytes = 1_000_000) {
  const sandbox = await startSandbox({ uploadLimitBytes })
  onTestFinished(() => sandbox.close())
  const open = (key: { accessKey: string; signingSecret: string }) => {
    const service = createSignedKeyService({ ...defaultsFor(sandbox.url), ...key })
    onTestFinished(() => service.close())
    return service.client
  }
  return { sandbox, open }
}

it.concurrent.for(['session', 'submitter key'])(
  'a file is uploaded as bytes, by %s',
  async (how, { onTestFinished }) => {
    const { sandbox, open } = await bench(onTestFinished)
    const token = how === 'session' ? sandbox.sessionToken : undefined
    // A name that would end the header, were it not made safe; the bytes hold what looks like a part of the form.
    const file = { name: 'a"\r\nx: y\r\n\r\n.png', content }
    const reply = await open(sandbox.submitterKey).upload(file, token)
    expect(reply).toMatchObject({ contentHash, uri: expect.stringMatching(/^ipfs:\/\//) })
  },
)

it.concurrent('an attester key and a wrong session cannot upload', async ({ onTestFinished }) => {
  const { sandbox, open } = await bench(onTestFinished)
  const file = { name: 'a', content }
  await expect(open(sandbox.attesterKey).upload(file, undefined)).rejects.toMatchObject({ reason: 'service-forbidden' })
  await expect(open(sandbox.attesterKey).upload(file, 'not-a-token')).rejects.toMatchObject({
    reason: 'service-unauthorized',
    message: expect.not.stringContaining('not-a-token'),
  })
})

it.concurrent('a file that the service refuses is refused by name', async ({ onTestFinished }) => {
  const { sandbox, open } = await bench(onTestFinished, 1000)
  const refused = open(sandbox.submitterKey).upload({ name: 'a', content }, sandbox.sessionToken)
  await expect(refused).rejects.toMatchObject({ reason: 'upload-refused' })
  const empty = open(sandbox.submitterKey).upload({ name: 'a', content: new Uint8Array() }, undefined)
  await expect(empty).rejects.toMatchObject({ reason: 'upload-refused' })
})

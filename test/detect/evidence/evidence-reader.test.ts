import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { EvidenceReader } from '../../../src/detect/evidence/evidence-reader.js'
import { withC2pa } from '../../support/c2pa-picture.js'
import { noise } from '../../support/detector-images.js'
import { hugeNumberStore, webpWithStore } from '../../support/hostile-credentials.js'
import { ManualClock } from '../../support/manual-clock.js'
import { filesForAll } from '../../support/temporary-folder.js'

const fileWith = filesForAll()

it('EvidenceReader ends a thread that computes for too long, and reads the next file by another', async () => {
  const picture = await noise(64, 64).webp().toBuffer()
  const hostile = await fileWith(webpWithStore(picture, hugeNumberStore(512 * 1024)))
  const signed = await fileWith(await withC2pa(await noise(64, 64).jpeg().toBuffer(), 'jpeg', 'Test Painter'))
  const clock = new ManualClock()
  const reader = new EvidenceReader(clock)
  const reading = reader.read(hostile)
  await clock.advance(5000)
  expect(await reading).toBeNull()
  expect(await reader.read(signed)).toMatchObject([{ kind: 'c2pa' }])
  expect(await reader.read(await fileWith(picture))).toEqual([])
  await reader.close()
})

it('EvidenceReader reads the next file by another thread where one ended while nobody waited', async () => {
  const signed = await fileWith(await withC2pa(await noise(64, 64).jpeg().toBuffer(), 'jpeg', 'Test Painter'))
  const started = once(process, 'worker') as Promise<[Worker]>
  // It stands still: waiting for a thread that is gone would never end.
  const reader = new EvidenceReader(new ManualClock())
  expect(await reader.read(signed)).toMatchObject([{ kind: 'c2pa' }])
  const [thread] = await started
  await thread.terminate()
  expect(await reader.read(signed)).toMatchObject([{ kind: 'c2pa' }])
  await reader.close()
})

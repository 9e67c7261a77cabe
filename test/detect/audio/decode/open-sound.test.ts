import { expect, it } from 'vitest'
import { systemClock } from '../../../../src/core/clock.js'
import { openSound } from '../../../../src/detect/audio/decode/open-sound.js'
import { silentFlac } from '../../../support/silent-flac.js'
import { filesForAll } from '../../../support/temporary-folder.js'
import { unwatched } from '../../../support/unwatched-parsers.js'

const MIB = 1024 * 1024
const fileWith = filesForAll()

it('a small file of much silence is decoded in pieces that fit into memory', async () => {
  const bytes = silentFlac(120)
  expect(bytes.length).toBeLessThan(5000)
  const { passages } = await openSound(await fileWith(bytes), {
    timeoutSeconds: 30,
    ffmpeg: null,
    clock: systemClock,
    parsers: unwatched,
  })
  expect(passages).toHaveLength(4)
  for (const { blocks, seconds } of passages) {
    let samples = 0
    for await (const { channels } of blocks) {
      samples += channels[0]?.length ?? 0
      expect(channels.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(80 * MIB)
    }
    expect(samples).toBeGreaterThanOrEqual((seconds - 2) * 48_000)
  }
})

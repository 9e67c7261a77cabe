import { expect, it } from 'vitest'
import { hasTrackShownOtherwise } from '../../src/formats/matroska-tracks.js'
import { filesForAll } from '../support/temporary-folder.js'

const fileWith = filesForAll()

/** An element by its number in hex, its size in eight bytes. */
function element(id: string, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((each) => (typeof each === 'string' ? Buffer.from(each, 'hex') : each)))
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(2n ** 56n + BigInt(body.length))
  return Buffer.concat([Buffer.from(id, 'hex'), size, body])
}

const start = element('1a45dfa3', element('4282', Buffer.from('webm')))
const [pictures, sound, subtitles] = ['01', '02', '11'].map((type) => element('83', type)) as [Buffer, Buffer, Buffer]
const track = (...content: Buffer[]) => element('ae', ...content)
const compressed = (...algorithm: Buffer[]) => element('6d80', element('6240', element('5034', ...algorithm)))
const stripped = compressed(element('4254', '03'), element('4255', '00'))
const cluster = element('1f43b675', Buffer.alloc(99))
const isRefused = async (...segment: Buffer[]) =>
  hasTrackShownOtherwise(await fileWith(Buffer.concat([start, element('18538067', ...segment)])))

it.each<[string, boolean, Buffer[]]>([
  ['ordinary', false, [pictures, element('b9', '01'), element('e0', element('b0', '0140'))]],
  ['disabled', true, [pictures, element('b9', '00')]],
  ['compressed', true, [sound, compressed(element('4254', '00'))]],
  ['compressed in the way that is not named', true, [sound, compressed()]],
  ['without the beginnings of its frames', false, [sound, stripped]],
  ['encrypted', true, [sound, element('6d80', element('6240', element('5035')))]],
  ['cut out', true, [pictures, element('e0', element('54cc', '0050'))]],
  ['without what its encoder added', false, [pictures, element('e0', element('54aa', '08'))]],
  ['of compressed subtitles, and disabled', false, [subtitles, compressed(), element('b9', '00')]],
])('a track that is %s: %s', async (_, isOdd, content) => {
  expect(await isRefused(element('ec', Buffer.alloc(50)), element('1654ae6b', track(...content)), cluster)).toBe(isOdd)
  expect(await isRefused(element('1654ae6b', track(pictures), track(...content)))).toBe(isOdd)
})

it('a list of tracks is sought behind clusters, and in front of one without a size', async () => {
  const list = element('1654ae6b', track(pictures))
  expect(await isRefused(cluster, list)).toBe(false)
  const endless = Buffer.from('1f43b67501ffffffffffffff', 'hex')
  expect(await isRefused(list, endless)).toBe(false)
  expect(await isRefused(endless, list)).toBe(true)
  expect(await isRefused(cluster)).toBe(true)
})

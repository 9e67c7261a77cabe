import { expect, it } from 'vitest'
import { notOfKind } from '../../src/formats/declared-kind.js'
import { sniff } from '../../src/formats/sniff.js'

const refusalOf = async (kind: 'image' | 'audio' | 'video', bytes: Buffer) => notOfKind(kind, bytes, await sniff(bytes))

it.each([
  ['HLS', '#EXTM3U\n#EXT-X-VERSION:3\nsegment.ts'],
  ['HLS behind a byte order mark', '\uFEFF#EXTM3U'],
  ['HLS behind empty lines', '\n\n  #extm3u'],
  ['PLS', '[playlist]\nFile1=http://10.0.0.1/a.mp3'],
  ["ffmpeg's own list", "ffconcat version 1.0\nfile '/etc/passwd'"],
  ['SDP', 'v=0\r\no=- 0 0 IN IP4 127.0.0.1'],
  ['SDP with plain line ends', 'v=0\no=- 0 0'],
  ['DASH', '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011">'],
  ['XSPF without a head', '<playlist version="1">'],
  ['SMIL', '<smil><body/></smil>'],
  ['ASX', '<ASX version="3.0">'],
])('a text that only names other media %s', async (_, text) => {
  expect(await refusalOf('video', Buffer.from(text))).toMatchObject({
    reason: 'media-type-mismatch',
    message: 'Declared a video, but the bytes are a playlist; what it names is never opened.',
  })
})

it.each([
  ['prose about playlists', 'The first line of HLS is #EXTM3U.'],
  ['another kind of list', '[playlists]\nrock'],
  ['a version of something else', 'v=0 is where it starts'],
  ['XML of another kind', '<?xml version="1.0"?><MPDX/>'],
  ['a word in brackets', '<smiling>'],
])('a text that is one itself %s', async (_, text) => {
  const { message, reason } = await refusalOf('audio', Buffer.from(text))
  expect(reason).toBe('media-type-mismatch')
  expect(message).toMatch(/^Declared audio, but the bytes are (text|application\/xml)\.$/)
})

it.each([
  ['unknown bytes', 'audio', Buffer.from([0, 1, 2, 3]), 'The bytes have no signature of a known sound format.'],
  [
    'a format that is not read',
    'image',
    Buffer.from('BM'.padEnd(64, '\0')),
    'The image format image/bmp is not supported.',
  ],
] as const)('%s are unsupported', async (_, kind, bytes, message) => {
  expect(await refusalOf(kind, bytes)).toMatchObject({ reason: 'media-unsupported', message })
})

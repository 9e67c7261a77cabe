import { describe, expect, it } from 'vitest'
import { isPlaylist } from '../../src/formats/playlist.js'

describe('a text that only names other media', () => {
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
  ])('%s', (_, text) => {
    expect(isPlaylist(Buffer.from(text))).toBe(true)
  })
})

describe('a text that is one itself', () => {
  it.each([
    ['prose about playlists', 'The first line of HLS is #EXTM3U.'],
    ['another kind of list', '[playlists]\nrock'],
    ['a version of something else', 'v=0 is where it starts'],
    ['XML of another kind', '<?xml version="1.0"?><MPDX/>'],
    ['a word in brackets', '<smiling>'],
    ['nothing', ''],
    ['bytes', '\u0000\u0001'],
  ])('%s', (_, text) => {
    expect(isPlaylist(Buffer.from(text))).toBe(false)
  })
})

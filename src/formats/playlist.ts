/** First words of HLS, PLS, ffmpeg's own lists, SDP, DASH, XSPF, SMIL and ASX. */
const PLAYLIST =
  /^\uFEFF?\s*(#EXTM3U|\[playlist\]|ffconcat version|v=0\r?\no=|(<\?xml[^>]*>\s*)?<(MPD|playlist|smil|asx)[\s>])/i

/** Whether a text only names other media, which is never opened. @param head the first bytes of the file */
export const isPlaylist = (head: Buffer): boolean => PLAYLIST.test(head.toString('utf8'))

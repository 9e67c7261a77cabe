/** A container of pictures, of sound or of both. */
export interface Container {
  /** As a person calls it. */
  readonly name: string
  /** ffmpeg's reader of it, so that ffmpeg cannot see another format in the same bytes. */
  readonly demuxer: string
}

const mp4: Container = { name: 'mp4', demuxer: 'mov' }
const threeGp: Container = { name: '3gp', demuxer: 'mov' }
const matroska: Container = { name: 'matroska', demuxer: 'matroska' }
const mpeg: Container = { name: 'mpeg', demuxer: 'mpeg' }
const ogg: Container = { name: 'ogg', demuxer: 'ogg' }
const asf: Container = { name: 'asf', demuxer: 'asf' }

/** Containers that are read, by their MIME types by signature. */
export const CONTAINERS: ReadonlyMap<string | null, Container> = new Map([
  ['audio/mp4', mp4],
  ['audio/x-m4a', { ...mp4, name: 'm4a' }],
  ['video/mp4', mp4],
  ['video/x-m4v', mp4],
  ['video/3gpp', threeGp],
  ['video/3gpp2', threeGp],
  ['video/quicktime', { ...mp4, name: 'quicktime' }],
  ['video/webm', { ...matroska, name: 'webm' }],
  ['video/matroska', matroska],
  ['video/x-matroska', matroska],
  ['video/mp2t', { name: 'mpeg-ts', demuxer: 'mpegts' }],
  ['video/MP1S', mpeg],
  ['video/MP2P', mpeg],
  ['video/ogg', ogg],
  ['application/ogg', ogg],
  ['video/vnd.avi', { name: 'avi', demuxer: 'avi' }],
  ['video/x-flv', { name: 'flv', demuxer: 'flv' }],
  ['video/x-ms-asf', asf],
  ['application/vnd.ms-asf', asf],
])

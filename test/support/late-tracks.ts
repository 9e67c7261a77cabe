import fs from 'node:fs/promises'
import path from 'node:path'
import { make } from './ffmpeg-tool.js'
import { folderForTest } from './temporary-folder.js'

const PACKET_BYTES = 188
/** Without content: more than ffmpeg reads of the end of a file before it lists the tracks (250 kB). */
const EMPTY_PACKETS = 1500
/** Longer than it looks at the beginning, seconds. */
const LONG = 15

/** An MPEG-TS whose list of tracks changes for a second in its middle, far from both ends, as a player follows. */
export async function lateTracks(): Promise<string> {
  const folder = await folderForTest()
  const part = async (name: string, seconds: number, firstTrack: string) => {
    const file = path.join(folder, name)
    const sources = ['testsrc=s=64x64', 'sine'].flatMap((source) => ['-f', 'lavfi', '-t', `${seconds}`, '-i', source])
    await make(...sources, '-c:v', 'libx264', '-c:a', 'aac', '-mpegts_start_pid', firstTrack, file)
    return fs.readFile(file)
  }
  const [first, other] = [await part('first.ts', LONG, '0x100'), await part('other.ts', 1, '0x200')]
  const empty = Buffer.alloc(PACKET_BYTES, 0xff)
  empty.write('471fff10', 'hex')
  const file = path.join(folder, 'late.ts')
  await fs.writeFile(file, Buffer.concat([first, other, Buffer.alloc(PACKET_BYTES * EMPTY_PACKETS, empty), first]))
  return file
}

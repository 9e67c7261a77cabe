import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { type FfmpegRun, runFfmpeg, streamFfmpeg } from '../../../src/detect/ffmpeg/run-ffmpeg.js'
import { hasProc, untilGone } from '../../support/detector-bench.js'
import { ffmpeg, make } from '../../support/ffmpeg-tool.js'
import { folderForAll } from '../../support/temporary-folder.js'

describe.skipIf(ffmpeg === null)('the ffmpeg cage (skipped where ffmpeg is not installed)', () => {
  const folder = folderForAll()
  const at = (name: string) => path.join(folder, name)
  const run = (name: string, more: Partial<FfmpegRun> = {}): FfmpegRun => ({
    ffmpeg: ffmpeg ?? '',
    file: at(name),
    args: ['-an', '-f', 'rawvideo', '-pix_fmt', 'gray'],
    maxBytes: 10_000_000,
    timeoutMs: 30_000,
    ...more,
  })

  beforeAll(async () => {
    await make(
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=64x48:r=10:d=2',
      '-b:v',
      '400k',
      '-c:v',
      'libx264',
      '-pix_fmt',
      'yuv420p',
      at('plain.mp4'),
    )
    await fs.writeFile(at('list.m3u8'), '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nplain.mp4\n#EXT-X-ENDLIST\n')
    await fs.writeFile(at('list.ffconcat'), 'ffconcat version 1.0\nfile plain.mp4\n')
    await fs.writeFile(at('list.sdp'), 'v=0\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n')
    await fs.writeFile(at('noise.mp4'), Buffer.alloc(5000))
    const whole = await fs.readFile(at('plain.mp4'))
    await fs.writeFile(at('cut.mp4'), whole.subarray(0, whole.length / 2))
  })

  it('reports a missing file as a fault of the machine, not as a corrupt file', async () => {
    await expect(runFfmpeg(run('gone.mp4'))).rejects.toMatchObject({ reason: 'internal-error', kind: 'retry' })
  })

  it('returns the output of ffmpeg', async () => {
    expect(await runFfmpeg(run('plain.mp4'))).toHaveLength(64 * 48 * 20)
  })

  it('returns the same bytes each time', async () => {
    expect(await runFfmpeg(run('plain.mp4'))).toEqual(await runFfmpeg(run('plain.mp4')))
  })

  it.each([
    ['a playlist', 'list.m3u8', {}, 'media-unsupported'],
    ['a list of files', 'list.ffconcat', {}, 'media-unsupported'],
    ['a session description', 'list.sdp', {}, 'media-unsupported'],
    ['bytes of no format', 'noise.mp4', {}, 'media-corrupt'],
    ['an MP4 that is cut before its index', 'cut.mp4', {}, 'media-corrupt'],
    ['a track that is not there', 'plain.mp4', { args: ['-map', '0:a:0', '-f', 'f32le'] }, 'media-type-mismatch'],
    ['more output than asked for', 'plain.mp4', { maxBytes: 5000 }, 'media-too-complex'],
    ['more pixels than the cap', 'plain.mp4', { inputOptions: ['-max_pixels', '100'] }, 'media-too-complex'],
    [
      'a run that does not end',
      'plain.mp4',
      { inputOptions: ['-stream_loop', '-1'], maxBytes: 1e15, timeoutMs: 300 },
      'detector-timeout',
    ],
    ['a program that is not there', 'plain.mp4', { ffmpeg: '/nowhere/ffmpeg' }, 'detector-failed'],
  ])('refuses by name: %s', async (_what, name, more, reason) => {
    const swallow = async () => {
      for await (const chunk of streamFfmpeg(run(name, more))) expect(chunk.length).toBeGreaterThan(0)
    }
    await expect(swallow()).rejects.toMatchObject({ reason })
  })

  it('reports what is written to the side channel', async () => {
    let side = ''
    const filter = 'metadata=add:key=a:value=b,metadata=print:file=pipe\\\\:3:direct=1'
    await runFfmpeg(run('plain.mp4', { args: ['-vf', filter, '-f', 'rawvideo'], onSide: (text) => (side += text) }))
    expect(side.match(/pts_time:1\.5\b/g)).toHaveLength(1)
  })

  it.skipIf(!hasProc)('leaves no ffmpeg behind when the process that started it is killed (needs /proc)', async () => {
    const program = at('endless.mjs')
    const module = packagePath('dist', 'detect', 'ffmpeg', 'run-ffmpeg.js')
    const endless = run('plain.mp4', { inputOptions: ['-stream_loop', '-1'], maxBytes: 1e15 })
    await fs.writeFile(
      program,
      `import { streamFfmpeg } from ${JSON.stringify(module)}
       for await (const _ of streamFfmpeg(${JSON.stringify(endless)})) { process.send('works'); await new Promise(() => setInterval(() => {}, 1000)) }`,
    )
    const parent = fork(program, { execArgv: [], stdio: 'ignore' })
    await once(parent, 'message')
    const pids = await childrenOf(parent.pid as number)
    expect(pids.length).toBeGreaterThan(0)
    parent.kill('SIGKILL')
    await Promise.all(pids.map(untilGone))
  })
})

async function childrenOf(pid: number): Promise<number[]> {
  const text = await fs.readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

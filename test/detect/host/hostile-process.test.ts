import fs from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { DetectorBench } from '../../support/detector-bench.js'
import { writeModulePackage } from '../../support/other-packages.js'

/** A detector that a text takes over: it writes past its library to the channel, or starts a program and crashes. */
const TAKEN_OVER = `
import { spawn } from 'node:child_process'
import fs from 'node:fs'
const say = (text) => { try { fs.writeSync(3, text) } catch {} }
export const createDetector = () => ({
  async measure(file) {
    const text = fs.readFileSync(file, 'utf8')
    if (text === 'x'.repeat(300)) return { logit: 3 }
    if (text.startsWith('say ')) say(text.slice(4))
    if (text.startsWith('flood ')) for (;;) say('x'.repeat(65536))
    if (text.startsWith('leave ')) {
      const { pid } = spawn('/bin/sleep', ['1000'], { stdio: ['ignore', 'ignore', 'inherit'] })
      fs.writeFileSync(text.slice(6), String(pid))
      process.kill(process.pid, 'SIGSEGV')
    }
    return new Promise(() => {})
  },
})`

const bench = DetectorBench.forEach()

async function start() {
  await writeModulePackage(bench.modelsDir, { 'main.mjs': TAKEN_OVER })
  const host = await bench.start()
  const detect = async (text: string) => host.detect({ file: await bench.write('a.txt', text), mediaType: 'text' })
  return { detect, good: () => detect('x'.repeat(300)) }
}

it.each([
  ['says what is no JSON', 'say garbage\n'],
  ['speaks as Node does to its own processes', 'say {"cmd":"NODE_HANDLE","type":"net.Socket"}\n'],
  ['greets once more', 'say {"type":"hello"}\n'],
  ['answers for another file', 'say {"type":"failed","jobId":99,"reason":"media-empty","message":"","rssBytes":0}\n'],
  [
    'names a reason that is not its own',
    'say {"type":"failed","jobId":2,"reason":"stake-low","message":"","rssBytes":0}\n',
  ],
  ['writes without an end', 'flood '],
])('a process that %s is replaced, and the daemon and the next file lose nothing', async (_, text) => {
  const { detect, good } = await start()
  await expect(detect(text)).rejects.toMatchObject({
    reason: 'detector-failed',
    message: expect.stringContaining('malformed answer'),
  })
  expect(await good()).toMatchObject({ rawScore: 3 })
  expect(bench.all('child-stopped')).toMatchObject([{ cause: 'answer' }])
})

it('a process that crashes is replaced, even while a program that it started goes on', async () => {
  const { detect, good } = await start()
  const left = await bench.write('left', '')
  const crashed = detect(`leave ${left}`).catch((error: unknown) => error)
  await expect.poll(() => fs.readFile(left, 'utf8')).not.toBe('')
  const pid = Number(await fs.readFile(left, 'utf8'))
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  expect(await crashed).toMatchObject({ reason: 'detector-crashed' })
  expect(await good()).toMatchObject({ rawScore: 3 })
})

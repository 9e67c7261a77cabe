import { spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/**
 * A service in a process of its own, so that what it costs is not taken for what the reader costs: it states the given
 * service time, and every stream connection gets the same bytes, then stays open.
 */
export async function startHostileServer(stream: string, serverTime: number) {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-hostile-'))
  const file = path.join(folder, 'stream')
  await fs.writeFile(file, stream)
  const child = spawn(process.execPath, ['-e', SERVER, file, String(serverTime)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text).trim()))
    child.once('error', reject)
  })
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    await fs.rm(folder, { recursive: true })
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

const SERVER = `
const [file, serverTime] = process.argv.slice(1)
const server = require('node:http').createServer((request, response) => {
  if (request.url.endsWith('/stream')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.write(require('node:fs').readFileSync(file))
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ serverTime: Number(serverTime) }))
})
server.listen(0, '127.0.0.1', () => console.log(String(server.address().port)))
`

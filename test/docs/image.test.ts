import { execFile } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { endServer, listen, portOf } from '../support/local-server.js'
import { read } from './pages.js'

// What the image holds, and that it runs, is checked by `.ci/container.sh`, which builds it.
const run = promisify(execFile)
const dockerfile = read('Dockerfile').replaceAll(/\\\n\s*/g, '')
const lines = dockerfile.split('\n')
const stages = dockerfile.split(/^FROM /m).slice(1)

/** Sources of the COPY lines that come from the checkout. */
function copied(stage: string): string[] {
  const copies = [...stage.matchAll(/^COPY (?!--from)(.+)$/gm)].map(([, names]) => names!.split(' '))
  return copies.flatMap((names) => names.slice(0, -1))
}

describe('the Dockerfile', () => {
  it('names full versions, of an LTS Node and of its Debian', () => {
    expect(stages.map((stage) => stage.split(/\s/)[0])).toEqual([`\${NODE_IMAGE}`, `\${DEBIAN_IMAGE}`])
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:(?:22|24)\.\d+\.\d+-trixie-slim$/m)
    expect(dockerfile).toMatch(/^ARG DEBIAN_IMAGE=debian:13\.\d+-slim$/m)
  })

  it('copies existing files that .dockerignore does not exclude', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    const sources = stages.flatMap(copied)
    expect(sources).toContain('models')
    for (const source of sources) {
      expect(fs.existsSync(packagePath(source)), source).toBe(true)
      expect(
        allowed.some((one) => source === one || source.startsWith(`${one}/`)),
        source,
      ).toBe(true)
    }
  })

  it('runs as an unprivileged user, keeps its data in a volume, and drains on the signal', () => {
    expect(lines).toContain('USER 1000:1000')
    expect(lines).toContain('VOLUME /data')
    expect(lines).toContain('STOPSIGNAL SIGTERM')
    expect(dockerfile).toMatch(/^ENV .*ATTESTD_DATA_DIR=\/data$/m)
    expect(stages.at(-1)).not.toMatch(/npm (?:ci|install)/)
    expect(stages.at(-1)).not.toContain('apt-get')
    expect(read('.ci/install-ffmpeg.sh').match(/apt-get .*install .*/g)).toEqual([
      expect.stringMatching(/--no-install-recommends ffmpeg /),
    ])
  })

  it('has a health check that distinguishes alive from dead, of the daemon and of the sandbox', async () => {
    const [node, ...check] = JSON.parse(dockerfile.match(/^HEALTHCHECK .*?CMD (\[.*\])$/m)![1]!) as string[]
    expect(node).toBe('node')
    const answers = new Map([['/healthz', 200]])
    const server = await listen(
      http.createServer((request, reply) => void reply.writeHead(answers.get(request.url ?? '') ?? 404).end()),
    )
    const port = String(portOf(server))
    const args = check.map((arg) => arg.replace('8787', port))
    const ask = () =>
      run(process.execPath, args, { env: { ATTESTD_HTTP_PORT: port } }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      )
    expect(await ask()).toBe(0)
    answers.set('/healthz', 503)
    expect(await ask()).toBe(1)
    answers.set('/api/v1/health', 200)
    expect(await ask()).toBe(0)
    await endServer(server)
    expect(await ask()).toBe(1)
  })
})

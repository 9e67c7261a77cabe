import { execFile, execFileSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { read } from './pages.js'

// Without a container engine: the Dockerfile's copies and its pruning are replayed in a folder, and the result runs.
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
  it('stands on full versions, of a Node with long-term support and of the Debian which that is built on', () => {
    expect(stages.map((stage) => stage.split(/\s/)[0])).toEqual([`\${NODE_IMAGE}`, `\${DEBIAN_IMAGE}`])
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:(?:22|24)\.\d+\.\d+-trixie-slim$/m)
    expect(dockerfile).toMatch(/^ARG DEBIAN_IMAGE=debian:13\.\d+-slim$/m)
  })

  it('what it copies exists, and .dockerignore lets it through', () => {
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

  it('runs as nobody special, keeps its data in a volume, and drains on the signal', () => {
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

  it('the health check distinguishes alive from dead', async () => {
    const check = JSON.parse(dockerfile.match(/^HEALTHCHECK .*?CMD (\[.*\])$/m)![1]!) as string[]
    let status = 200
    const server = http.createServer((request, reply) => {
      reply.writeHead(request.url === '/healthz' ? status : 404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const ask = () =>
      run(process.execPath, check.slice(1), { env: { ATTESTD_HTTP_PORT: String(port) } }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      )
    expect(check[0]).toBe('node')
    expect(await ask()).toBe(0)
    status = 503
    expect(await ask()).toBe(1)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect(await ask()).toBe(1)
  })
})

describe('what the image holds', () => {
  let root: string
  beforeAll(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'attestd-image-'))
    for (const folder of productionPackages()) link(packagePath(folder), path.join(root, folder))
    link(packagePath('dist'), path.join(root, 'dist'))
    for (const source of copied(stages.at(-1)!)) link(packagePath(source), path.join(root, source))
    execFileSync(process.execPath, [packagePath('.ci', 'prune-image.mjs'), root])
  })
  afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

  const attestd = (...args: string[]) => {
    const env = { PATH: '', HOME: root, ATTESTD_DATA_DIR: path.join(root, 'data') }
    return run(process.execPath, [path.join(root, 'dist', 'cli', 'main.js'), ...args], { env, cwd: '/' })
  }

  it('the binary of this platform alone, no compiler, no TypeScript', () => {
    const binaries = path.join(root, 'node_modules', 'onnxruntime-node', 'bin', 'napi-v6')
    expect(fs.readdirSync(binaries)).toEqual([process.platform])
    expect(fs.readdirSync(path.join(binaries, process.platform))).toEqual([process.arch])
    const files = fs.readdirSync(root, { recursive: true }) as string[]
    expect(
      files.filter((file) => /^node_modules\/(?:@?typescript|vitest|@biomejs)\/|\.[cm]?ts$|\.map$/.test(file)),
    ).toEqual([])
    expect(fs.existsSync(packagePath('node_modules', 'typescript'))).toBe(true)
  })

  it('enough to run, score, and show the sandbox its samples', async () => {
    expect((await attestd('--help')).stdout).toContain('Usage: attestd')
    expect((await attestd('models', 'verify')).stdout).toContain('as stated')
    const [sample] = JSON.parse(read('samples/samples.json')) as { file: string }[]
    const scored = await attestd('score', path.join(root, 'samples', sample!.file))
    expect(scored.stdout).toMatch(/^risk [\d.]+ of 100/)
  })

  it('enough for the queue, the service client and the console: doctor gets to the service', async () => {
    // It fails, because the settings of a service are missing.
    const { stdout } = await attestd('doctor', '--queue-url', 'embedded:', '--detectors', 'attestd-text').catch(
      (error: { readonly stdout: string }) => error,
    )
    expect(stdout).toContain('✓ queue')
    expect(stdout).toContain('– service')
  })
})

/** Folders of the packages that stay after `npm prune --omit=dev`. */
function productionPackages(): string[] {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> }
  const kept = Object.entries(lock.packages).filter(([folder, { dev }]) => folder !== '' && !dev)
  return kept.map(([folder]) => folder).filter((folder) => fs.existsSync(packagePath(folder)))
}

/** Copies by hard links where it can; packages nested in a package have entries of their own. */
function link(from: string, to: string): void {
  if (fs.statSync(from).isDirectory()) {
    fs.mkdirSync(to, { recursive: true })
    for (const name of fs.readdirSync(from)) {
      if (name !== 'node_modules') link(path.join(from, name), path.join(to, name))
    }
    return
  }
  fs.mkdirSync(path.dirname(to), { recursive: true })
  try {
    fs.linkSync(from, to)
  } catch {
    fs.copyFileSync(from, to)
  }
}

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { text as toText } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { diagnoseCage } from '../../../src/app/doctor/diagnose-programs.js'
import { openCage } from '../../../src/app/open/open-cage.js'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { CagedPlace, type DetectorCage, librariesOf, removeLeftPlaces } from '../../../src/detect/host/detector-cage.js'
import { DetectorProcess } from '../../../src/detect/host/detector-process.js'
import { limitLine, memoryLimiter } from '../../../src/detect/host/memory-limit.js'
import { sendFilter } from '../../../src/detect/host/system-calls.js'
import { startWarmChild } from '../../../src/detect/host/warm-child.js'
import { loadPackage } from '../../../src/detect/package/package-loader.js'
import { DetectorBench, isRunning } from '../../support/detector-bench.js'
import { noise } from '../../support/detector-images.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { writeModulePackage, writeRemotePackage } from '../../support/other-packages.js'
import { withReason } from '../../support/with-reason.js'

const { cage: possible } = await openCage({ detectorCage: 'auto' })

const isRoot = process.getuid?.() === 0

/** A user without privileges. */
const OTHER_UID = 1234
const MAIN = packagePath('dist', 'cli', 'main.js')

/** Runs Node as that user. */
async function asOther(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, args, {
    uid: OTHER_UID,
    gid: OTHER_UID,
    cwd: '/',
    env: { PATH, HOME: '/dev/null', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([toText(child.stdout), toText(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

/** Whether another user can read this checkout, which may lie in the home of root. */
const isOpenToOthers =
  isRoot &&
  (await asOther(['-e', 'require("node:fs").accessSync(process.argv[1])', MAIN]).catch(() => null))?.code === 0

const bench = DetectorBench.forEach()

/** The cage of this machine, with its folders where the test can see them. */
const cageHere = (): DetectorCage => ({ ...possible!, scratchDir: bench.folder })
const text = (file: string) => ({ file, mediaType: 'text' as const })

/** Reports what it can reach: what it reads, lists and writes. */
const CURIOUS = `
import fs from 'node:fs'
import path from 'node:path'
const tried = (work) => { try { return work() } catch (error) { return error.code } }
const entries = (folder) => { try { return fs.readdirSync(folder, { withFileTypes: true }) } catch { return [] } }
const openForWriting = (folder) => entries(folder).flatMap((entry) => {
    const name = path.join(folder, entry.name)
    if (/^\\/proc\\/(?:\\d|self|thread-self)/.test(name)) return []
    if (entry.isDirectory()) return openForWriting(name)
    return tried(() => fs.closeSync(fs.openSync(name, 'r+'))) === undefined ? [name] : []
  })
export const createDetector = () => ({
  measure: (file) => ({
    logit: fs.readFileSync(file).length / 100,
    notes: JSON.stringify({
      besides: fs.readdirSync(path.dirname(file)).length,
      secret: tried(() => fs.readFileSync('SECRET', 'utf8')),
      passwords: tried(() => fs.readFileSync('/etc/passwd').length),
      overFile: tried(() => fs.writeFileSync(file, 'x')),
      overUsr: tried(() => fs.writeFileSync('/usr/attestd-test', 'x')),
      overMemory: ['/x', '/dev/x', '/dev/shm/x'].map((name) => tried(() => fs.writeFileSync(name, 'x'))),
      kernel: openForWriting('/proc'),
      keys: ['/etc/ssl/private', '/etc/ssh', '/root', '/home', '/run/secrets'].map((name) => tried(() => fs.readdirSync(name).length)),
      full: tried(() => fs.writeFileSync('/tmp/full', Buffer.alloc(65 * 1024 ** 2))),
      uid: process.getuid(),
      processes: fs.readdirSync('/proc').filter((name) => Number(name) > 0).length,
    }),
    parts: [],
  }),
})`

/** Reports what becomes of programs that each make one system call. */
const CALLING = `
import { spawnSync } from 'node:child_process'
const call = (program, ...args) => {
  const { status, stderr } = spawnSync('/usr/bin/env', [program, ...args, 'true'], { encoding: 'utf8' })
  return status === 0 ? 0 : stderr.slice(0, 100)
}
export const createDetector = () => ({
  measure: () => ({
    logit: 3,
    notes: JSON.stringify({
      unshare: call('unshare', '--user'),
      personality: call('setarch', '--addr-no-randomize'),
      nothing: call('env'),
    }),
    parts: [],
  }),
})`

it.each([
  ['a checkout', '/opt/attestd/', '/opt/attestd/node_modules'],
  ['npm, globally', '/usr/local/lib/node_modules/attestd/', '/usr/local/lib/node_modules'],
  ['npm or yarn, in a project', '/srv/x/node_modules/attestd/', '/srv/x/node_modules'],
  ['pnpm', '/srv/x/node_modules/.pnpm/attestd@1.0.0/node_modules/attestd/', '/srv/x/node_modules'],
])('the libraries of attestd, installed as %s, are found', (_, root, libraries) => {
  expect(librariesOf(root)).toBe(libraries)
})

it('the folders of killed daemons are removed with their media, and those in use are kept', async () => {
  const scratchDir = path.join(bench.folder, 'scratch')
  await fs.mkdir(path.join(scratchDir, 'attestd-bench-other'), { recursive: true })
  const cage = { bwrap: '', env: '', setpriv: null, scratchDir, isFiltered: false }
  const used = await CagedPlace.make(cage)
  const inUse = (await fs.readdir(scratchDir)).filter((name) => name.startsWith('attestd-detector-'))
  expect(inUse).toHaveLength(1)
  const gone = spawn(process.execPath, ['-e', ''])
  await once(gone, 'exit')
  const left = path.join(scratchDir, inUse[0]!.replace(`_${process.pid}_`, `_${gone.pid}_`), 'in')
  await fs.mkdir(left, { recursive: true })
  await fs.writeFile(path.join(left, 'file'), 'media')
  await removeLeftPlaces(cage)
  expect((await fs.readdir(scratchDir)).toSorted()).toEqual(['attestd-bench-other', ...inUse])
  await used.remove()
  expect(await fs.readdir(scratchDir)).toEqual(['attestd-bench-other'])
})

const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c']
const canMount = spawnSync('unshare', [...inside, 'mount -t tmpfs none /tmp']).status === 0

it.skipIf(!canMount)('a full disk of temporary files is named as that, not as the data directory', async () => {
  const file = await bench.write('media', 'x'.repeat(9000))
  const small = path.join(bench.folder, 'small')
  await fs.mkdir(small)
  const script = `import('${packagePath('dist/detect/host/detector-cage.js')}').then(async ({ CagedPlace }) => {
    const place = await CagedPlace.make({ scratchDir: '${small}', setpriv: null })
    require('fs').writeFileSync('${small}/rest', '0'.repeat(60000))
    await place.show('${file}').catch(({ reason, message, fix }) => console.log(JSON.stringify({ reason, message, fix })))
  })`
  const mount = 'mount -t tmpfs -o size=64k none "$0" && exec "$@"'
  const { stdout } = spawnSync('unshare', [...inside, mount, small, process.execPath, '-e', script], {
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout)).toEqual({
    reason: 'media-cache-failed',
    message: expect.stringContaining('ENOSPC'),
    fix: expect.stringContaining('TMPDIR'),
  })
})

describe.skipIf(possible === null)('a detector process in its cage', () => {
  it('sees its package and the one file, and can write neither', async () => {
    const secret = await bench.write('secret', 'signing secret')
    await writeModulePackage(bench.modelsDir, { 'main.mjs': CURIOUS.replace('SECRET', secret) })
    const host = await bench.start({ cage: cageHere() })
    expect(host.state().caged).toBe(true)
    const { notes } = await host.detect(text(await bench.write('a.txt', 'y'.repeat(150))))
    const seen = JSON.parse(notes)
    expect(seen).toMatchObject({ besides: 1, secret: 'ENOENT', passwords: 'ENOENT', overUsr: 'EROFS' })
    expect(['EROFS', 'EACCES', 'EBUSY']).toContain(seen.overFile)
    expect(seen).toMatchObject({ overMemory: ['EROFS', 'EROFS', 'EROFS'], kernel: [], full: 'ENOSPC' })
    expect(seen.keys.filter((key: unknown) => key !== 'ENOENT')).toEqual([])
    expect(seen.uid).toBe(isRoot ? 65_534 : process.getuid?.())
    expect(seen.processes).toBeLessThan(5)
  })

  it.skipIf(!isRoot || !isOpenToOthers)('is as restricted for an ordinary user', async () => {
    const secret = await bench.write('secret', 'signing secret')
    await fs.chmod(bench.folder, 0o755)
    await writeModulePackage(bench.modelsDir, { 'main.mjs': CURIOUS.replace('SECRET', secret) })
    const file = await bench.write('a.txt', 'y'.repeat(150))
    const { code, out, err } = await asOther([MAIN, 'score', file, '--media-type', 'text', '--json'], {
      ATTESTD_MODELS_DIR: bench.modelsDir,
      ATTESTD_DETECTOR_CAGE: 'require',
      ATTESTD_DETECTOR_WORKERS: '1',
    })
    expect({ code, err }).toMatchObject({ code: 0 })
    const seen = JSON.parse(JSON.parse(out).notes)
    expect(seen).toMatchObject({ besides: 1, secret: 'ENOENT', passwords: 'ENOENT', overUsr: 'EROFS', full: 'ENOSPC' })
    expect(seen).toMatchObject({ kernel: [], uid: OTHER_UID })
    expect(seen.keys.filter((key: unknown) => key !== 'ENOENT')).toEqual([])
    expect(seen.processes).toBeLessThan(5)
  })

  it.skipIf(!isRoot)('says what to do where it may not read its package, as after umask 077', async () => {
    await fs.chmod(await writeTinyPackage(bench.modelsDir), 0o700)
    await expect(bench.start({ cage: cageHere() })).rejects.toMatchObject({
      reason: 'detector-start-failed',
      fix: expect.stringContaining('chmod -R go+rX'),
    })
  })

  it('blames no package where its sample cannot be passed to it, as on a full disk', async () => {
    const pack = await loadPackage(await writeTinyPackage(bench.folder))
    await fs.rm(path.join(pack.folder, pack.manifest.selfTest.file))
    const limits = { cage: cageHere(), ffmpeg: null, timeoutMs: 60_000, memoryBytes: 2 ** 30, clock: systemClock }
    const options = { ...limits, packages: [pack], lowPriority: false, serversMustAnswer: true }
    await expect(startWarmChild(options, new AbortController().signal)).rejects.toThrow(
      withReason('media-cache-failed'),
    )
  })

  it('is counted and ended as one without a cage, and leaves nothing behind', async () => {
    await writeTinyPackage(bench.modelsDir)
    const pack = await loadPackage(path.join(bench.modelsDir, 'tiny-image'))
    const options = { packages: [pack], ffmpeg: null, timeoutMs: 30_000, memoryBytes: 2 ** 31, clock: systemClock }
    const child = await DetectorProcess.start({ ...options, cage: cageHere() }, new AbortController().signal)
    expect(await fs.readFile(`/proc/${child.pid}/cmdline`, 'utf8')).toContain('detector-child')
    expect(await isRunning(child.pid)).toBe(true)
    const out = path.join(bench.folder, 'heat.png')
    const file = path.join(pack.folder, 'selftest.png')
    await child.show({ detectorId: pack.manifest.id, file, mediaType: 'image', out })
    expect((await fs.stat(out)).size).toBeGreaterThan(0)
    await child.kill('closed')
    expect(await isRunning(child.pid)).toBe(false)
    expect(await child.ended).toMatchObject({ cause: 'closed' })
    await expect.poll(async () => (await fs.readdir(bench.folder)).toSorted()).toEqual(['heat.png', 'models'])
  })

  it.each([
    ['none', 'no network', false],
    ['a model server', 'the network', true],
  ])('with %s has %s', async (kind, _, isReached) => {
    const server = net.createServer().listen(0, '127.0.0.1')
    const { port } = await new Promise<net.AddressInfo>((resolve) =>
      server.once('listening', () => resolve(server.address() as net.AddressInfo)),
    )
    const folder = await (kind === 'none'
      ? writeTinyPackage(bench.modelsDir)
      : writeRemotePackage(bench.modelsDir, 'remote-image', `http://127.0.0.1:${port}`))
    const place = await CagedPlace.make(cageHere())
    const [command = '', ...line] = place.line([await loadPackage(folder)], [])
    const script = `require('node:net').connect(${port}, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(7))`
    const stdio = ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'] as const
    const child = spawn(command, [...line, process.execPath, '-e', script], { env: {}, stdio: [...stdio] })
    sendFilter(child)
    const [code] = await once(child, 'close')
    server.close()
    expect(code).toBe(isReached ? 0 : 7)
  })

  it('is refused the system calls that no detector needs, and scores the same bit for bit', async () => {
    await writeModulePackage(bench.modelsDir, { 'main.mjs': CALLING })
    await writeTinyPackage(bench.modelsDir)
    const picture = {
      file: await bench.write('a.png', await noise(90, 60).png().toBuffer()),
      mediaType: 'image' as const,
    }
    const caged = await bench.start({ cage: cageHere() })
    const { notes } = await caged.detect(text(await bench.write('a.txt', 'y'.repeat(150))))
    const refused = expect.stringMatching(/not permitted/)
    expect(JSON.parse(notes)).toEqual({ unshare: refused, personality: refused, nothing: 0 })
    const { rawScore } = await caged.detect(picture)
    const free = await bench.start()
    expect((await free.detect(picture)).rawScore).toBe(rawScore)
  })

  it('distinguishes a kill from a crash', async () => {
    const folder = await writeTinyPackage(bench.modelsDir)
    const options = { ffmpeg: null, timeoutMs: 30_000, memoryBytes: 2 ** 31, clock: systemClock, cage: cageHere() }
    const ends: unknown[] = []
    for (const signal of ['SIGKILL', 'SIGSEGV'] as const) {
      const packages = [await loadPackage(folder)]
      const child = await DetectorProcess.start({ ...options, packages }, new AbortController().signal)
      process.kill(child.pid, signal)
      ends.push((await child.ended).cause)
    }
    expect(ends).toEqual(['killed', 'crashed'])
  })

  it('writes one file, as large as a heat map may be', async () => {
    const pack = await loadPackage(await writeTinyPackage(bench.modelsDir))
    const place = await CagedPlace.make(cageHere())
    const limits = limitLine(await memoryLimiter(), 2 ** 30, 1000)
    const [command = '', ...line] = [...limits, ...place.line([pack], [])]
    const script = `
      const fs = require('node:fs')
      const tried = (work) => { try { return work() } catch (error) { return error.code } }
      const beside = tried(() => fs.writeFileSync('${path.dirname(place.result)}/other', 'x'))
      fs.writeFileSync('${place.result}', 'y'.repeat(900))
      const more = tried(() => fs.appendFileSync('${place.result}', 'y'.repeat(900)))
      process.stdout.write(JSON.stringify([beside, more]))`
    const child = spawn(command, [...line, process.execPath, '-e', script], {
      env: {},
      stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'pipe'],
    })
    sendFilter(child)
    expect(JSON.parse(await toText(child.stdout!))).toEqual([expect.stringMatching(/^(?:EROFS|EACCES)$/), 'EFBIG'])
    const taken = path.join(bench.folder, 'taken')
    await place.takeResult(taken)
    expect((await fs.stat(taken)).size).toBe(1000)
    expect((await fs.stat(place.result)).size).toBe(0)
    await place.remove()
  })
})

describe.skipIf(possible === null)('where the kernel takes no system call filter', () => {
  const { PATH } = process.env
  beforeEach(async () => {
    await writeUnfilteredBwrap()
    process.env.PATH = bench.folder
  })
  afterEach(() => {
    process.env.PATH = PATH
  })

  /** The real one, in a surrounding in which prctl(PR_SET_SECCOMP) is refused as by a kernel without it. */
  async function writeUnfilteredBwrap(): Promise<void> {
    const { bwrap, env, setpriv } = possible!
    const filter = await bench.write('filter', withoutSeccomp())
    const line = `exec ${bwrap} --dev-bind / / --seccomp 9 ${bwrap} "$@" 9<'${filter}'`
    await fs.chmod(await bench.write('bwrap', `#!/bin/sh\n${line}\n`), 0o755)
    await fs.symlink(env, path.join(bench.folder, 'env'))
    if (setpriv !== null) await fs.symlink(setpriv, path.join(bench.folder, 'setpriv'))
  }

  it('only the filter is missing, by name, and require insists on it', async () => {
    const { cage, gap } = await openCage({ detectorCage: 'auto' })
    expect(cage).toMatchObject({ isFiltered: false })
    expect(gap).toMatch(/^system calls are not filtered \(.*SECCOMP/)
    await expect(openCage({ detectorCage: 'require' })).rejects.toMatchObject({ reason: 'setting-invalid' })
    // Two processes say why, so the words may differ from trial to trial.
    const message = expect.stringMatching(/^detector processes run under bubblewrap.*, but .* not filtered \(.*SECCOMP/)
    expect(await diagnoseCage({ detectorCage: 'auto' })).toEqual({ check: 'cage', outcome: 'skipped', message })
    const secret = await bench.write('secret', 'signing secret')
    await writeModulePackage(bench.modelsDir, { 'main.mjs': CURIOUS.replace('SECRET', secret) })
    const host = await bench.start({ cage: { ...cage!, scratchDir: bench.folder } })
    const { notes } = await host.detect(text(await bench.write('a.txt', 'y'.repeat(150))))
    expect(JSON.parse(notes)).toMatchObject({ besides: 1, secret: 'ENOENT', overUsr: 'EROFS' })
  })
})

/** A program for seccomp(2) after which prctl(PR_SET_SECCOMP) ends with EINVAL; what the calls are: asm/unistd.h, linux/prctl.h. */
function withoutSeccomp(): Buffer {
  const [prctl, setSeccomp] = [process.arch === 'x64' ? 157 : 167, 22]
  const program = [
    [0x20, 0, 0, 0],
    [0x15, 0, 3, prctl],
    [0x20, 0, 0, 16],
    [0x15, 0, 1, setSeccomp],
    [0x06, 0, 0, 0x00050000 + 22],
    [0x06, 0, 0, 0x7fff0000],
  ] as const
  return Buffer.concat(
    program.map(([code, holds, fails, operand]) => {
      const instruction = Buffer.from([code, 0, holds, fails, 0, 0, 0, 0])
      instruction.writeUInt32LE(operand, 4)
      return instruction
    }),
  )
}

describe('where no cage is possible', () => {
  const { PATH } = process.env
  beforeEach(() => {
    process.env.PATH = bench.folder
  })
  afterEach(() => {
    process.env.PATH = PATH
  })

  it('auto states why, and require refuses', async () => {
    const gap = 'bubblewrap (bwrap) is not installed'
    expect(await openCage({ detectorCage: 'auto' })).toEqual({ cage: null, gap })
    await expect(openCage({ detectorCage: 'require' })).rejects.toMatchObject({
      reason: 'setting-invalid',
      message: `ATTESTD_DETECTOR_CAGE is require, but ${gap}.`,
    })
  })

  it('a cage that cannot run counts as none, with its message', async () => {
    for (const name of ['bwrap', 'env', 'setpriv']) {
      const file = await bench.write(name, '#!/bin/sh\necho no permission to make namespaces >&2\nexit 1\n')
      await fs.chmod(file, 0o755)
    }
    const { cage, gap } = await openCage({ detectorCage: 'auto' })
    expect(cage).toBeNull()
    expect(gap).toBe('bubblewrap is not possible here (no permission to make namespaces)')
  })

  it('off does not check', async () => {
    expect(await openCage({ detectorCage: 'off' })).toEqual({ cage: null, gap: 'ATTESTD_DETECTOR_CAGE is off' })
  })
})

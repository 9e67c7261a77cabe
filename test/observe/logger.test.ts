import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { entryFile } from '../../src/core/files.js'
import { createLogger, type LoggerOptions } from '../../src/observe/logger.js'
import { hostileTexts, UNSAFE_SIGN } from '../support/hostile-texts.js'
import { folderForTest } from '../support/temporary-folder.js'

function linesOf(options: Partial<LoggerOptions>) {
  const lines: string[] = []
  const log = createLogger({
    level: 'info',
    format: 'json',
    secrets: [],
    destination: { write: (line) => void lines.push(line) },
    ...options,
  })
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line)) }
}

describe('createLogger', () => {
  it('writes one JSON line with ISO time, level, facts and message', () => {
    const { log, lines, parsed } = linesOf({})
    log.info({ asset: 'a1', attempt: 2, reason: 'stake-low' }, 'The job was held')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/\n$/)
    expect(parsed()[0]).toMatchObject({
      level: 'info',
      asset: 'a1',
      attempt: 2,
      reason: 'stake-low',
      msg: 'The job was held',
    })
    expect(parsed()[0].time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('loses a line and no job where the disk is full', () => {
    const full = fs.openSync('/dev/full', 'w')
    onTestFinished(() => fs.closeSync(full))
    const log = createLogger({ level: 'info', format: 'json', secrets: [], destination: full })
    for (const line of ['first', 'second']) expect(() => log.info({}, line)).not.toThrow()
  })

  it('respects its level and counts the written lines', () => {
    const counted: string[] = []
    const { log, lines } = linesOf({ level: 'warn', onLine: (level) => counted.push(level) })
    log.debug({}, 'no')
    log.info({}, 'no')
    log.warn({}, 'yes')
    log.error({}, 'yes')
    expect(lines).toHaveLength(2)
    expect(counted).toEqual(['warn', 'error'])
  })

  it('shows a named error with reason, fix, facts and causes, and no stack', () => {
    const { log, parsed } = linesOf({})
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const error = new AttestdError('port-in-use', 'Port 1 is taken.', { cause, facts: { port: 1 }, retryAfterMs: 5 })
    log.error({ error }, 'The start failed')
    expect(parsed()[0].error).toEqual({
      type: 'AttestdError',
      message: 'Port 1 is taken.',
      reason: 'port-in-use',
      kind: 'setup',
      fix: 'Stop the other process, or set ATTESTD_HTTP_PORT to a free port, or 0 for any.',
      facts: { port: 1 },
      retryAfterMs: 5,
      causes: [{ type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' }],
    })
  })

  it('shows a foreign error with its stack, and handles circular causes', () => {
    const { log, parsed } = linesOf({})
    const outer = new Error('outer')
    outer.cause = new AggregateError([outer, new TypeError('inner')], 'several')
    log.error({ err: outer }, 'Broke')
    const { err } = parsed()[0]
    expect(err.stack[0]).toMatch(/^at /)
    expect(err.causes.map((each: { message: string }) => each.message)).toEqual(['several', 'inner'])
  })

  it.each(['json', 'pretty'] as const)('as %s writes a text that ends like the name of a secret', (format) => {
    const { log, lines } = linesOf({ format })
    log.warn({ detail: 'the service answered: missing token:', asset: "it's" }, 'request failed')
    expect(lines.join('')).toMatch(/missing token:.*it's.*request failed|request failed.*missing token:.*it's/)
    if (format === 'json') expect(JSON.parse(lines[0]!)).toMatchObject({ asset: "it's", msg: 'request failed' })
  })

  it('limits the length of a line', () => {
    const { log, lines, parsed } = linesOf({})
    let error = new Error('deep')
    for (let depth = 0; depth < 50; depth += 1) error = new Error('x'.repeat(50_000), { cause: error })
    log.error({ error, text: 'y'.repeat(100_000), wei: 10n ** 20n }, 'Big')
    expect(lines[0]!.length).toBeLessThan(25_000)
    expect(parsed()[0].error.causes).toHaveLength(5)
    expect(parsed()[0].wei).toBe('100000000000000000000')
  })

  it.each(['json', 'pretty'] as const)('leaks no secret through a %s line', (format) => {
    const secret = 'p"a\\ss\nword'
    const { log, lines } = linesOf({ format, secrets: [secret] })
    const facts = { url: `redis://u:${encodeURIComponent(secret)}@h`, nested: { deep: [secret] }, [`k${secret}`]: 1 }
    log.error({ ...facts, error: new Error(`no ${secret}`) }, `message ${secret}`)
    const text = lines.join('')
    expect(text).toContain('[redacted]')
    expect(text).not.toContain(secret)
    expect(text).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(text).not.toContain(encodeURIComponent(secret))
  })

  it('writes text for people when asked, without escape codes where there is no terminal', () => {
    const { log, lines } = linesOf({ format: 'pretty' })
    log.warn({ asset: 'a1', reason: 'stake-low' }, 'The job was held')
    expect(lines[0]).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: The job was held .*stake-low/)
    expect(lines[0]).not.toContain('\u001b')
  })

  it.each(['pretty', 'json'] as const)('as %s writes no control character of a terminal', (format) => {
    const { log, lines } = linesOf({ format })
    for (const text of hostileTexts(60)) log.warn({ asset: text, inner: { text } }, `got ${text}`)
    for (const line of lines) expect(line.replaceAll(/\r\n|[\n\t]/g, '')).not.toMatch(UNSAFE_SIGN)
    expect(lines).toHaveLength(60)
  })

  it('writes a failure for people as one line with its causes, and a bug with its place', () => {
    const { log, lines } = linesOf({ format: 'pretty' })
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:9')
    log.warn(
      { err: new AttestdError('service-unreachable', 'GET /time could not connect', { cause }) },
      'could not read',
    )
    log.error({ err: new TypeError('x is not a function') }, 'unexpected error')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /WARN: could not read \{"reason":"service-unreachable","err":"GET \/time could not connect; cause: connect ECONNREFUSED 127\.0\.0\.1:9"\}\n$/,
    )
    expect(lines[1]).toMatch(/x is not a function at .*\}\n$/)
    for (const line of lines) expect(line.trimEnd().split('\n')).toHaveLength(1)
  })

  it('chooses JSON where there is no terminal', () => {
    const { log, parsed } = linesOf({ format: 'auto' })
    log.info({}, 'Started')
    expect(parsed()[0].msg).toBe('Started')
  })

  it.skipIf(process.platform !== 'linux' || !fs.existsSync('/usr/bin/script'))(
    'has colors on a terminal, except with NO_COLOR or TERM=dumb',
    () => {
      const logger = entryFile(new URL('../../src/observe/logger.ts', import.meta.url).href, 'logger')
      const line = `import(${JSON.stringify(logger)}).then(({ createLogger }) =>
        createLogger({ level: 'info', format: 'auto', secrets: [] }).info({}, 'shown'))`
      // The util-linux program runs a command on a terminal of its own.
      const onTerminal = (env: Record<string, string>) =>
        execFileSync('/usr/bin/script', ['-qec', '"$NODE" -e "$LINE"', '/dev/null'], {
          env: { NODE: process.execPath, LINE: line, TERM: 'xterm', ...env },
          encoding: 'utf8',
        })
      expect(onTerminal({})).toContain('\u001b')
      for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
        expect(onTerminal(env)).toMatch(/INFO: shown/)
        expect(onTerminal(env)).not.toContain('\u001b')
      }
    },
  )

  it('loses nothing that fits into a pipe when the process ends at once', async () => {
    const script = await logging(`for (let i = 0; i < 100; i += 1) log.info({ i, pad: 'x'.repeat(200) }, 'line')
       process.kill(process.pid, 'SIGKILL')`)
    const run = promisify(execFile)(process.execPath, [script])
    const ended = await run.catch((error: { stdout: string; signal: string }) => error)
    expect(ended).toMatchObject({ signal: 'SIGKILL' })
    const lines = ended.stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(100)
    expect(JSON.parse(lines.at(-1)!).i).toBe(99)
  })

  it('goes on, and ends, while nobody reads a full pipe', async () => {
    const script = await logging(`for (let i = 0; i < 20_000; i += 1) log.info({ i, pad: 'x'.repeat(200) }, 'line')
       process.exit(3)`)
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    expect(await once(child, 'exit')).toEqual([3, null])
  })

  it('writes later what a slow reader left in the pipe', async () => {
    const script = await logging(`for (let i = 0; i < 2000; i += 1) log.info({ i, pad: 'x'.repeat(200) }, 'line')`)
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'ignore'] })
    const lines = (await text(child.stdout)).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).i)).toEqual(Array.from({ length: 2000 }, (_, i) => i))
  })

  it('goes on where the reader of its pipe has ended', async () => {
    const script = await logging(`process.stdout.on('error', () => process.exit(3))
       process.stdin.resume().on('end', () => log.info({}, 'line'))`)
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdout.destroy()
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([3, null])
  })
})

/** A script that runs these lines with a logger `log` on standard output; other verbs' watch of the output is on. */
async function logging(lines: string): Promise<string> {
  const script = path.join(await folderForTest(), 'logging.mjs')
  const from = (module: string) =>
    JSON.stringify(entryFile(new URL(`../../src/${module}.ts`, import.meta.url).href, path.basename(module)))
  fs.writeFileSync(
    script,
    `import { watchOutput } from ${from('cli/command-line')}
     import { createLogger } from ${from('observe/logger')}
     watchOutput()
     const log = createLogger({ level: 'info', format: 'json', secrets: [] })
     ${lines}`,
  )
  return script
}

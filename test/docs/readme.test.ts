import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSamples } from '../../src/app/samples.js'
import { envName } from '../../src/config/setting.js'
import { SETTINGS, settingRows } from '../../src/config/settings.js'
import { packagePath } from '../../src/core/files.js'
import { REASONS } from '../../src/core/reasons.js'
import { EXIT } from '../../src/core/shutdown.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { fileLinks, PAGES, read, typedLines } from './pages.js'

const packageJson = JSON.parse(read('package.json')) as { scripts: Record<string, string>; engines: { node: string } }
const typed = ['README.md', 'CONTRIBUTING.md', 'models/README.md', 'docs/guarantees.md'].flatMap(typedLines)

describe('what the pages tell a reader to type', () => {
  const attestd = [...new Set(typed.flatMap((line) => line.match(/(?<=(?:npx |^)attestd )[a-z-].*/)?.[0] ?? []))]

  it('the tour is found', () => {
    for (const verb of [
      'init',
      'sandbox',
      'doctor',
      'run',
      'scores',
      'queue',
      'status',
      'score',
      'models',
      'keys',
      'register',
    ]) {
      expect(attestd.some((line) => line.startsWith(verb))).toBe(true)
    }
  })

  it.each(attestd)('attestd %s: verb and flags exist', async (line) => {
    const words = line.split(/\s+/)
    const verbs = /^(?:keys|queue|models)$/.test(words[0]!) ? words.slice(0, 2) : words.slice(0, 1)
    if (verbs[0] === '--help') return
    const { out: help } = await attestdVerb([...verbs, '--help'], {})
    expect(help).toContain(`Usage: attestd ${verbs.join(' ')}`)
    for (const flag of words.filter((word) => word.startsWith('--'))) expect(help).toMatch(new RegExp(`${flag}\\b`))
  })

  it('npm scripts exist', () => {
    const named = typed.flatMap((line) => [...line.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script!))
    expect(named).toContain('demo')
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining([...new Set(named)]))
  })

  it('scripts and files given to node and bash exist', () => {
    const named = typed.flatMap((line) => line.match(/(?<=^(?:node|bash) )\S+/)?.[0] ?? [])
    expect(named).toContain('dist/cli/main.js')
    expect(named.filter((file) => !fs.existsSync(packagePath(file)))).toEqual([])
  })
})

describe('what the pages name', () => {
  it.each(PAGES)('%s: links lead to files', (page) => {
    expect(fileLinks(page).filter((file) => !fs.existsSync(packagePath(file)))).toEqual([])
  })

  it.each([...PAGES, 'Dockerfile', 'config/compose.yaml'])('%s: settings exist', (page) => {
    const known = settingRows.flatMap(([, row]) =>
      row.secret ? [envName(row), `${envName(row)}_FILE`] : [envName(row)],
    )
    const named = [...new Set(read(page).match(/\bATTESTD_[A-Z_]*[A-Z]\b/g))]
    expect(named.filter((name) => name !== 'ATTESTD_CONFIG' && !known.includes(name))).toEqual([])
  })

  it('source files named in the text exist', () => {
    const named = typed.flatMap((code) => code.match(/^(?:src|test|\.ci|config|models)\/[\w./-]+\.\w+$/)?.[0] ?? [])
    expect(named).toContain('src/pipeline/submit.ts')
    expect(named.filter((file) => !fs.existsSync(packagePath(file)))).toEqual([])
  })
})

describe('what the README states', () => {
  const readme = read('README.md').replaceAll(/\s+/g, ' ')

  it('in at most 2,400 words', () => {
    expect(readme.split(' ').length).toBeLessThanOrEqual(2400)
  })

  it('the oldest Node', () => {
    const [, major, minor] = /major === (\d+) && minor < (\d+)/.exec(read('src/cli/main.ts'))!
    expect(packageJson.engines.node).toBe(`>=${major}.${minor}`)
    expect(readme).toContain('Node 20.19 or newer')
  })

  it('exit codes', () => {
    const stated = [...read('README.md').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
    expect(stated).toEqual(Object.values(EXIT))
  })

  it('defaults', () => {
    const guarantees = read('docs/guarantees.md').replaceAll(/\s+/g, ' ')
    expect(guarantees).toContain(`timestamp window (${Number(SETTINGS.timestampWindowMs.fallback) / 1000} s)`)
    expect(guarantees).toContain(`store a request (${Number(SETTINGS.storeTimeMs.fallback) / 1000} s)`)
    expect(SETTINGS.unsurePolicy.fallback).toBe('abstain')
    expect(SETTINGS.httpHost.fallback).toBe('127.0.0.1')
    expect(SETTINGS.queueUrl.fallback).toBe('embedded:')
  })

  it('the number of sample files', async () => {
    expect(readme).toContain(`scores ${(await readSamples()).length} sample files`)
  })
})

const FREE = new Set(['CC0-1.0', 'public-domain', 'MIT', 'made-by-script'])

it('sample media each is listed with source and license, and nothing else lies there', async () => {
  const samples = await readSamples()
  const there = fs.readdirSync(packagePath('samples'))
  const listed = samples.map(({ file }) => file)
  expect([...listed, 'LICENSE-comfyui-workflow-templates', 'README.md', 'samples.json'].toSorted()).toEqual(
    there.toSorted(),
  )
  for (const { file, license, source } of samples) {
    expect(FREE, file).toContain(license)
    expect(source, file).not.toBe('')
    expect(read('samples/README.md')).toContain(`| ${file} `)
  }
})

it('every reason has a line on the page of reasons', () => {
  const rows = [...read('config/REASONS.md').matchAll(/^- `([\w-]+)`: /gm)].map(([, reason]) => reason)
  expect(rows.toSorted()).toEqual(Object.keys(REASONS).toSorted())
})

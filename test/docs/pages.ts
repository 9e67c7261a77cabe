import fs from 'node:fs'
import path from 'node:path'
import { packagePath } from '../../src/core/files.js'

/** Text of a file of the checkout. */
export function read(...parts: string[]): string {
  return fs.readFileSync(packagePath(...parts), 'utf8')
}

/** All TypeScript of a folder of the checkout, as one text. */
export function sourceOf(...parts: string[]): string {
  const names = fs.readdirSync(packagePath(...parts), { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => name.endsWith('.ts')).sort()
  return sources.map((name) => read(...parts, name)).join('\n')
}

/** Pages written by hand or generated that people read, as paths in the checkout. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/alerts.md',
  'docs/gpu.md',
  'docs/guarantees.md',
  'docs/lab.md',
  'docs/redis.md',
  'docs/operations.md',
  'docs/security.md',
  'docs/sizing.md',
  'docs/webhook.md',
  'docs/wallet-session.md',
  'docs/conformance.md',
  'models/README.md',
  'models/RESULTS.md',
  'samples/README.md',
  'config/SETTINGS.md',
  'config/REASONS.md',
  'config/METRICS.md',
]

/** Targets of links and pictures that lead to files, as paths in the checkout, with the page that names them. */
export function fileLinks(page: string): string[] {
  const targets = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
  const files = targets.filter((target) => !/^[a-z]+:|^#/i.test(target)).map((target) => target.split('#')[0]!)
  return files.map((target) => path.posix.join(path.posix.dirname(page), target))
}

/** Lines inside code blocks and single back-ticks: what a reader would type. */
export function typedLines(page: string): string[] {
  const text = read(page).replaceAll(/<!--.*?-->/gs, '')
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, block]) => block!.split('\n'))
  const inline = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)
  return [...blocks, ...inline].map((line) => line.trim()).filter(Boolean)
}

import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { writeTinyPackage } from './detector-package.js'
import { MODEL } from './model-server.js'

/** A tiny image package whose network is behind a model server. */
export function writeRemotePackage(modelsDir: string, id: string, url: string, change: Record<string, unknown> = {}) {
  const runtime = { kind: 'remote', url, model: MODEL, input: 'pixels', output: 'logit', timeoutMs: 2000, ...change }
  return writeTinyPackage(modelsDir, { id, manifest: { runtime } })
}

/** A package that is a module. @param files by name; `main.mjs` is the module */
export async function writeModulePackage(
  modelsDir: string,
  files: Readonly<Record<string, string>>,
  manifest: Record<string, unknown> = {},
): Promise<string> {
  const id = 'by-module'
  const folder = path.join(modelsDir, id)
  await fs.mkdir(folder, { recursive: true })
  const all: Record<string, string> = { 'sample.txt': 'x'.repeat(300), ...files }
  for (const [name, text] of Object.entries(all)) await fs.writeFile(path.join(folder, name), text)
  const stated = Object.entries(all).map(([name, text]) => [
    name,
    { sha256: createHash('sha256').update(text).digest('hex'), bytes: Buffer.byteLength(text) },
  ])
  const content = {
    schema: 1,
    id,
    version: '1.0.0',
    title: 'Module for tests',
    mediaTypes: ['text'],
    runtime: { kind: 'module', module: 'main.mjs' },
    files: Object.fromEntries(stated),
    preprocessing: { kind: 'none' },
    outputKind: 'logit',
    aggregation: 'mean',
    calibration: { kind: 'identity' },
    decisionBand: { low: 0.5, high: 0.5 },
    selfTest: { file: 'sample.txt', risk: 0.9526, tolerance: 0.001 },
    training: { data: 'none', license: 'none' },
    license: 'Apache-2.0',
    ...manifest,
  }
  await fs.writeFile(path.join(folder, 'detector.json'), JSON.stringify(content))
  return folder
}

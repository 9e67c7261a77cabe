import { writePackage, writeTinyPackage } from './detector-package.js'
import { MODEL } from './model-server.js'

/**
 * A tiny image package whose network is behind a model server.
 * @param change fields of the runtime
 * @param manifest further fields of the manifest
 */
export function writeRemotePackage(
  modelsDir: string,
  id: string,
  url: string,
  change: Record<string, unknown> = {},
  manifest: Record<string, unknown> = {},
) {
  const runtime = { kind: 'remote', url, model: MODEL, input: 'pixels', output: 'logit', timeoutMs: 2000, ...change }
  return writeTinyPackage(modelsDir, { id, manifest: { ...manifest, runtime } })
}

/** A package that is a module. @param files by name; `main.mjs` is the module */
export async function writeModulePackage(
  modelsDir: string,
  files: Readonly<Record<string, string>>,
  manifest: Record<string, unknown> = {},
): Promise<string> {
  const all: Record<string, string> = { 'sample.txt': 'x'.repeat(300), ...files }
  const bytes = Object.fromEntries(Object.entries(all).map(([name, text]) => [name, Buffer.from(text)]))
  return writePackage(modelsDir, 'by-module', bytes, {
    title: 'Module for tests',
    mediaTypes: ['text'],
    runtime: { kind: 'module', module: 'main.mjs' },
    preprocessing: { kind: 'none' },
    decisionBand: { low: 0.5, high: 0.5 },
    selfTest: { file: 'sample.txt', risk: 0.9526, tolerance: 0.001 },
    ...manifest,
  })
}

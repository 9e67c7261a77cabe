// Checks rendered Kubernetes objects without a cluster: each against the published types of Kubernetes, KEDA and the Prometheus
// operator, as the TypeScript compiler compares an object literal with a type: no unknown field, no missing one, no wrong type or
// word. Usage: node .ci/kubernetes.mjs FOLDER RENDERED.yaml; into FOLDER `npm install` put kubernetes-models and both others.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'

const [folder, rendered] = process.argv.slice(2)
const modules = path.resolve(folder)
const from = (apiVersion) => {
  if (apiVersion.startsWith('keda.sh/')) return '@kubernetes-models/keda/'
  return apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator/'
    : 'kubernetes-models/'
}
const objects = parseAllDocuments(fs.readFileSync(rendered, 'utf8')).map((document) => document.toJS())
const names = []
for (const [index, object] of objects.entries()) {
  const name = `${index}-${object.kind}.ts`
  const type = `import type { I${object.kind} as Expected } from '${from(object.apiVersion)}${object.apiVersion}'`
  fs.writeFileSync(
    path.join(modules, name),
    `${type}\nexport const object: Expected = ${JSON.stringify(object, null, 2)}\n`,
  )
  names.push(name)
}
const compiler = path.resolve('node_modules/typescript/bin/tsc')
const options = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--types',
  '',
]
try {
  execFileSync(process.execPath, [compiler, ...options, ...names], { cwd: modules, stdio: 'inherit' })
} catch {
  process.exit(1)
}
process.stdout.write(`${objects.length} objects are what Kubernetes, KEDA and the Prometheus operator expect\n`)

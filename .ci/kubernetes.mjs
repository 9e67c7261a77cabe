// Checks config/kubernetes/ without a cluster: each object against the published types of Kubernetes and KEDA, as the
// TypeScript compiler compares an object literal with a type: no unknown field, no missing one, no wrong type or word.
// Usage: node .ci/kubernetes.mjs FOLDER, where `npm install` put kubernetes-models and @kubernetes-models/keda.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'

const FOLDER = 'config/kubernetes'
const modules = path.resolve(process.argv[2] ?? '.')
const from = (apiVersion) => (apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda/' : 'kubernetes-models/')

const files = fs.readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'))
const objects = files.flatMap((file) => {
  const documents = parseAllDocuments(fs.readFileSync(path.join(FOLDER, file), 'utf8'))
  return documents.map((document) => ({ file, object: document.toJS() }))
})
const names = []
for (const [index, { file, object }] of objects.entries()) {
  const name = `${path.basename(file, '.yaml')}-${index}-${object.kind}.ts`
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
process.stdout.write(`${objects.length} objects of ${FOLDER} are what Kubernetes and KEDA expect\n`)

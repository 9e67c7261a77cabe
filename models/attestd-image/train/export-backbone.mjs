/**
 * Writes backbone.npz's raw material: the first layers of the MobileNetV2 that the npm package
 * nsfwjs 4.3.0 (MIT) carries, as JSON (names, shapes, quantization) and bytes (uint8).
 *
 *   npm pack nsfwjs@4.3.0 && tar xzf nsfwjs-4.3.0.tgz
 *   node export-backbone.mjs package backbone
 *   python3 model.py backbone            # packs backbone.json + backbone.bin into backbone.npz
 *
 * Only Conv1, expanded_conv and block_1..6 are kept. In the package's own topology every one of
 * these layers is marked `trainable: false`: they were not changed by that project's training.
 */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const KEPT = /^(Conv1|bn_Conv1|expanded_conv_\w+|block_[1-6]_\w+)\//

const [packageDir, out] = process.argv.slice(2)
if (!packageDir || !out) {
  console.error('usage: node export-backbone.mjs NSFWJS_PACKAGE_DIR OUT_PREFIX')
  process.exit(64)
}
const require = createRequire(import.meta.url)
const folder = resolve(packageDir, 'dist/models/mobilenet_v2')
const load = (name) => {
  const module = require(`${folder}/${name}`)
  return module.default ?? module
}
const manifest = load('model.min.js').weightsManifest[0].weights
const bytes = Buffer.from(load('group1-shard1of1.min.js'), 'base64')

const kept = []
const parts = []
let offset = 0
for (const weight of manifest) {
  const count = weight.shape.reduce((a, b) => a * b, 1)
  if (KEPT.test(weight.name)) {
    kept.push({ name: weight.name, shape: weight.shape, ...weight.quantization })
    parts.push(bytes.subarray(offset, offset + count))
  }
  offset += count
}
if (offset !== bytes.length) throw new Error(`manifest covers ${offset} of ${bytes.length} bytes`)
writeFileSync(`${out}.json`, JSON.stringify(kept))
writeFileSync(`${out}.bin`, Buffer.concat(parts))
console.log(`${kept.length} tensors, ${Buffer.concat(parts).length} parameters`)

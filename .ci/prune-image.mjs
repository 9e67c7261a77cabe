// Removes from an installed checkout what never runs on this platform; the Dockerfile's last build step.
// Usage: node .ci/prune-image.mjs [FOLDER], a folder with node_modules/ and dist/ of which nothing else is needed.
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(process.argv[2] ?? '.')
const modules = path.join(root, 'node_modules')
const list = (folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : [])
const remove = (...parts) => fs.rmSync(path.join(...parts), { recursive: true, force: true })

// onnxruntime-node ships the binaries of every platform, 288 MB in all.
const binaries = path.join(modules, 'onnxruntime-node', 'bin', 'napi-v6')
const own = path.join(binaries, process.platform, process.arch)
if (!fs.existsSync(own)) throw new Error(`onnxruntime-node has no binary for this platform: ${own}`)
for (const platform of list(binaries)) {
  if (platform !== process.platform) remove(binaries, platform)
}
for (const arch of list(path.dirname(own))) {
  if (arch !== process.arch) remove(path.dirname(own), arch)
}

// What the compiler keeps for the next build.
remove(root, 'dist', '.tsbuildinfo')

// The compiler stays behind after `npm prune` as an optional peer of a dependency; nothing loads it.
remove(modules, 'typescript')
remove(modules, '@typescript')

// Folders of a package's own developers, beside its package.json only: deeper ones may hold code that runs.
const DEVELOPERS = ['test', 'tests', '__tests__', 'bench', 'benchmark', 'benchmarks', 'example', 'examples', 'docs']
for (const file of fs.readdirSync(modules, { recursive: true })) {
  if (/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(`node_modules/${file}`)) {
    for (const folder of DEVELOPERS) remove(modules, path.dirname(file), folder)
  }
}

// The same code once more as CommonJS, which ES modules of these packages never load; constants of blob transactions; builds
// for browsers. The Opus decoder that mends speech by a network: loaded only where that is asked for, and a detector must hear
// what was recorded.
for (const part of [
  'viem/_cjs',
  'viem/trusted-setups',
  'ox/_cjs',
  'ox/trusted-setups',
  'libphonenumber-js/bundle',
  'libphonenumber-js/es6-modern',
  '@wasm-audio-decoders/opus-ml',
]) {
  remove(modules, part)
}

// TypeScript and its declarations, source maps, pages: read by tools and people, never by Node. Bundles for browsers and
// React Native; other `.min.js` are run. Sources of native code, binaries for other systems; extensions of PGlite, of which the
// queue uses none.
const DEAD = new RegExp(
  [
    /\.(?:[cm]?ts|map|flow|markdown)$/,
    /(?<!LICENSE)\.md$/,
    /-decoder\.(?:opus-ml\.)?min\.js$/,
    /\.(?:cpp|cc|c|hpp|h|gypi?)$/,
    new RegExp(`/prebuilds/(?!${process.platform}-)`),
    /pglite\/dist\/(?:.*\.cjs|[^/]+\.tar\.gz)$/,
    /\/(?:iife|umd|amd|global|cjs-browser|bundles)\/[^/]+\.[cm]?js$/,
    /\/index\.(?:iife|browser|native)(?:\.cjs|\.esm)?(?:\.min)?\.[cm]?js$/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)
for (const folder of [modules, path.join(root, 'dist')]) {
  for (const file of fs.readdirSync(folder, { recursive: true })) {
    if (DEAD.test(file)) remove(folder, file)
  }
}

import fs from 'node:fs/promises'
import path from 'node:path'
import { packagePath } from '../../../src/core/files.js'
import { parseManifest } from '../../../src/detect/package/manifest.js'
import { mutatedBytes } from '../mutate/bytes.js'
import { mutatedJson } from '../mutate/json.js'
import type { Target } from '../target.js'
import { judge } from '../verdict.js'

const BOUNDS = { limitMs: 10_000, processorMs: 2000 }

/** The manifests of the shipped packages, changed, through the parser that the loader uses. */
export const manifests: Target = {
  name: 'manifests',
  counts: 'others',
  async open() {
    const folder = packagePath('models')
    const files = (await fs.readdir(folder)).map((name) => path.join(folder, name, 'detector.json'))
    const texts = await Promise.all(files.map((file) => fs.readFile(file, 'utf8').catch(() => null)))
    const all = texts.filter((text) => text !== null)
    return {
      async tryOne(chance) {
        const text = chance.pick(all)
        const input = chance.happens(0.2)
          ? mutatedBytes(Buffer.from(text), chance, Buffer.from(chance.pick(all))).toString('utf8')
          : JSON.stringify(mutatedJson(JSON.parse(text), chance))
        return { input, ending: 'json', verdicts: [await judge(() => parseManifest(input, 'detector.json'), BOUNDS)] }
      },
      close: async () => {},
    }
  },
}

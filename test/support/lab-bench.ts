import fs from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { beforeAll } from 'vitest'
import { loadSettings } from '../../src/config/load.js'
import type { Settings } from '../../src/config/settings.js'
import { csvCell } from '../../src/core/csv.js'
import { writeTinyPackage } from './detector-package.js'
import { folderForAll } from './temporary-folder.js'

/** A folder with a models directory that holds the tiny package, and colored pictures that it scores by their red. */
export interface LabBench {
  readonly folder: string
  readonly modelsDir: string
  readonly settings: Settings
  /** Writes files of one color each and an index of them. */
  writePictures(rows: readonly LabPicture[], index?: string): Promise<string>
}

export interface LabPicture {
  readonly name: string
  readonly label: string
  /** 0 to 255; the higher, the higher the tiny package's risk. */
  readonly red: number
  readonly source?: string
  readonly generator?: string
}

/** A bench for all tests of a file, or of the `describe` around the call. */
export function labBenchForAll(): LabBench {
  const bench = benchOver(folderForAll())
  beforeAll(() => writeTinyPackage(bench.modelsDir))
  return bench
}

/** A bench in a folder that its caller removes. */
export async function labBenchIn(folder: string): Promise<LabBench> {
  const bench = benchOver(folder)
  await writeTinyPackage(bench.modelsDir)
  return bench
}

function benchOver(folder: string): LabBench {
  const modelsDir = path.join(folder, 'models')
  const env = {
    ATTESTD_MODELS_DIR: modelsDir,
    ATTESTD_DATA_DIR: path.join(folder, 'data'),
    ATTESTD_DETECTOR_WORKERS: '1',
  }
  return {
    folder,
    modelsDir,
    settings: loadSettings({ env }).settings,
    async writePictures(rows, index = 'index.csv') {
      const lines = ['path,label,source,generator']
      for (const { name, label, red, source = '-', generator = '-' } of rows) {
        const png = sharp({
          create: { width: 48, height: 48, channels: 3, background: { r: red, g: 128, b: 128 } },
        }).png()
        await fs.writeFile(path.join(folder, name), await png.toBuffer())
        lines.push([name, label, source, generator].map(csvCell).join(','))
      }
      await fs.writeFile(path.join(folder, index), `${lines.join('\n')}\n`)
      return path.join(folder, index)
    },
  }
}

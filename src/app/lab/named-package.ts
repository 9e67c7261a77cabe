import fs from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { MANIFEST_FILE } from '../../detect/package/manifest.js'

/** Where a package is: the models directory and the id in it. */
export interface PackagePlace {
  readonly modelsDir: string
  readonly id: string
}

/** A package as a person names it: the path of its folder, or its id in the models directory of the settings. */
export async function packagePlace({ modelsDir }: Pick<Settings, 'modelsDir'>, named: string): Promise<PackagePlace> {
  const folder = path.resolve(named)
  const isFolder = await fs.stat(path.join(folder, MANIFEST_FILE)).then(
    () => true,
    () => false,
  )
  return isFolder ? { modelsDir: path.dirname(folder), id: path.basename(folder) } : { modelsDir, id: named }
}

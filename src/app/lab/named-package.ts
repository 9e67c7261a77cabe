import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import { isThere } from '../../core/files.js'
import { MANIFEST_FILE } from '../../detect/package/manifest.js'
import { packageFolders } from '../../detect/package/package-loader.js'

/** Where a package is: the models directory and the id in it. */
export interface PackagePlace {
  readonly modelsDir: string
  readonly id: string
}

/**
 * A package as a person names it: the path of its folder, or its id in the models directory of the settings.
 * @throws AttestdError argument-invalid where it is neither
 */
export async function packagePlace({ modelsDir }: Pick<Settings, 'modelsDir'>, named: string): Promise<PackagePlace> {
  const folder = path.resolve(named)
  if (await isPackage(folder)) return { modelsDir: path.dirname(folder), id: path.basename(folder) }
  if (await isPackage(path.join(modelsDir, named))) return { modelsDir, id: named }
  const ids = await packageFolders(modelsDir).catch(() => [])
  throw new AttestdError('argument-invalid', `There is no package ${named}, neither a folder nor in ${modelsDir}.`, {
    fix: `Name the path of its folder, or one of ${ids.join(', ') || 'another models directory (--models-dir)'}.`,
  })
}

const isPackage = (folder: string) => isThere(path.join(folder, MANIFEST_FILE))

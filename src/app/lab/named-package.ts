import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import { isThere } from '../../core/files.js'
import { MANIFEST_FILE } from '../../detect/package/manifest.js'
import { type LoadedPackage, loadPackage, packageFolders } from '../../detect/package/package-loader.js'

/**
 * Reads and verifies a package as a person names it: by the path of its folder, or its id in the models directory of the settings.
 * @throws AttestdError argument-invalid where it is neither, manifest-invalid, model-digest-mismatch
 */
export async function namedPackage({ modelsDir }: Pick<Settings, 'modelsDir'>, named: string): Promise<LoadedPackage> {
  for (const folder of [path.resolve(named), path.join(modelsDir, named)]) {
    if (await isThere(path.join(folder, MANIFEST_FILE))) return loadPackage(folder)
  }
  const ids = await packageFolders(modelsDir).catch(() => [])
  throw new AttestdError('argument-invalid', `There is no package ${named}, neither a folder nor in ${modelsDir}.`, {
    fix: `Name the path of its folder, or one of ${ids.join(', ') || 'another models directory (--models-dir)'}.`,
  })
}

import type { Settings } from '../../config/settings.js'
import { type ImportedPackage, type ImportOptions, importPackage } from '../../lab/import/import-package.js'
import { sealPackage } from '../../lab/import/seal-package.js'
import { measuringOf } from './measuring.js'

/** Makes a package of a Hugging Face export, in `out` or the models directory. @throws import-unsupported */
export async function importModel(
  settings: Settings,
  options: Omit<ImportOptions, 'measuring' | 'modelsDir'> & { readonly out: string | null },
  signal: AbortSignal,
): Promise<ImportedPackage> {
  const { out, ...request } = options
  const measuring = await measuringOf(settings, signal)
  return importPackage({ ...request, modelsDir: out ?? settings.modelsDir, measuring })
}

/** See `sealPackage`. @param folder absolute path */
export async function sealModel(settings: Settings, folder: string, version: string | null, signal: AbortSignal) {
  return sealPackage(folder, version, await measuringOf(settings, signal))
}

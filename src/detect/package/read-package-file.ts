import { createHash } from 'node:crypto'
import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import { readFileIfPresent } from '../../core/files.js'
import { folderOfFile } from './package-file.js'
import type { DetectorPackage } from './package-loader.js'

/**
 * The bytes of a package's file, after checking once more that it has the stated digest: a child may start hours after
 * the package was verified, and its folder may have been replaced meanwhile.
 * @throws AttestdError model-digest-mismatch
 */
export async function readPackageFile({ folder, manifest }: DetectorPackage, name: string): Promise<Buffer> {
  const stated = manifest.files[name]
  const file = path.join(folderOfFile(folder, stated ?? {}), name)
  const bytes = await readFileIfPresent(file)
  if (bytes !== null && createHash('sha256').update(bytes).digest('hex') === stated?.sha256) return bytes
  throw new AttestdError(
    'model-digest-mismatch',
    `${file} changed since the package was verified; attestd models reload takes the new version.`,
  )
}

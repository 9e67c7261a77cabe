import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import type { DetectorPackage } from './package-loader.js'

/**
 * The bytes of a package's file, after checking once more that it has the stated digest: a child may start hours after
 * the package was verified.
 * @throws AttestdError model-digest-mismatch
 */
export async function readPackageFile({ folder, manifest }: DetectorPackage, name: string): Promise<Buffer> {
  const bytes = await fs.readFile(path.join(folder, name))
  if (createHash('sha256').update(bytes).digest('hex') === manifest.files[name]?.sha256) return bytes
  throw new AttestdError('model-digest-mismatch', `${path.join(folder, name)} changed since the package was verified.`)
}

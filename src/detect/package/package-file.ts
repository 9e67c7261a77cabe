import path from 'node:path'
import { z } from 'zod'

/** Path of a file inside a package folder, as a manifest may name it. */
export const relativePath = z
  .string()
  .min(1)
  .max(200)
  .refine(staysInside, 'must be a plain relative path inside the package folder, with / between its parts')

/** Name of a package and of its folder. */
export const packageId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1-64 of a-z 0-9 . _ - and start with a letter or digit')

/** What a manifest states of each of its files. */
export const packageFile = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex characters'),
  bytes: z.int().min(1),
  /** The neighboring package whose folder holds the file, so that packages share large files. */
  of: packageId.optional(),
})

/** Absolute path of the folder that holds a file of the package in `folder`. */
export const folderOfFile = (folder: string, { of }: Pick<z.infer<typeof packageFile>, 'of'>): string =>
  of === undefined ? folder : path.join(path.dirname(folder), of)

function staysInside(name: string): boolean {
  if (name.includes('\\') || name.includes('\0') || path.posix.isAbsolute(name)) return false
  return (
    path.posix.normalize(name) === name &&
    !name.startsWith('../') &&
    name !== '..' &&
    name !== '.' &&
    !name.endsWith('/')
  )
}

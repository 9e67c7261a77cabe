import path from 'node:path'
import { z } from 'zod'

/** Path of a file inside a package folder, as a manifest may name it. */
export const relativePath = z
  .string()
  .min(1)
  .max(200)
  .refine(staysInside, 'must be a plain relative path inside the package folder, with / between its parts')

/** What a manifest states of each of its files. */
export const packageFile = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex characters'),
  bytes: z.int().min(1),
})

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

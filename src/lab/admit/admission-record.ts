import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { requireOwnFolder } from '../../core/disk/plain-files.js'
import { AttestdError } from '../../core/errors.js'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import { readJson } from '../../core/text.js'
import type { DetectorPackage } from '../../detect/package/package-loader.js'
import { thresholdsSchema } from './thresholds.js'

/** That a package passed its exam; kept under its digest, so that any change of it asks for another exam. */
const admissionSchema = z.strictObject({
  schema: z.literal(1),
  id: z.string(),
  version: z.string(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  admittedAt: z.string(),
  attestd: z.string(),
  command: z.string(),
  thresholds: thresholdsSchema,
  figures: z.array(
    z.strictObject({
      threshold: z.string(),
      wanted: z.string(),
      measured: z.union([z.number(), z.string()]),
      passed: z.literal(true),
    }),
  ),
  /** Null where no threshold needed labeled data. */
  data: z.object({ from: z.string(), digest: z.string(), real: z.number(), fake: z.number() }).nullable(),
})

export type Admission = z.infer<typeof admissionSchema>

type Identity = Pick<DetectorPackage, 'digest'> & {
  readonly manifest: Pick<DetectorPackage['manifest'], 'id' | 'version'>
}

/** Refuses packages without an admission of their digest. @param folder of admissions @throws detector-not-admitted */
export async function requireAdmitted(packages: readonly Identity[], folder: string): Promise<void> {
  for (const { manifest, digest } of packages) {
    if ((await readAdmission(folder, digest))?.id === manifest.id) continue
    throw new AttestdError(
      'detector-not-admitted',
      `The detector ${manifest.id}@${manifest.version} (digest ${digest.slice(0, 12)}) has no admission in ${folder}.`,
    )
  }
}

/** The admission of a digest; null where there is none that can be read. */
export async function readAdmission(folder: string, digest: string): Promise<Admission | null> {
  const text = (await readFileIfPresent(fileOf(folder, digest)))?.toString('utf8') ?? ''
  const admission = readJson(admissionSchema, text)
  return admission?.digest === digest ? admission : null
}

/** Keeps an admission, in place of an earlier one of the same digest. @throws AttestdError data-dir-unusable */
export async function writeAdmission(folder: string, admission: Admission): Promise<string> {
  const file = fileOf(folder, admission.digest)
  await requireOwnFolder(folder)
  await writeFileAtomic(file, `${JSON.stringify(admissionSchema.parse(admission), null, 2)}\n`)
  return file
}

/** Revokes the admission of a digest. @returns whether there was one */
export async function withdrawAdmission(folder: string, digest: string): Promise<boolean> {
  const file = fileOf(folder, digest)
  const was = (await readFileIfPresent(file)) !== null
  await fs.rm(file, { force: true })
  return was
}

const fileOf = (folder: string, digest: string): string => path.join(folder, `${digest}.json`)

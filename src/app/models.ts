import fs from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../config/settings.js'
import { systemClock } from '../core/clock.js'
import { AttestdError, errorText, toAttestdError } from '../core/errors.js'
import { loadPackage } from '../detect/package/package-loader.js'
import { openDetectors } from './open-detectors.js'

export interface SurveyedModel {
  readonly id: string
  /** Null where the package is not accepted. */
  readonly version: string | null
  readonly mediaTypes: readonly string[]
  readonly digest: string | null
  /** Title, or what is wrong. */
  readonly says: string
}

/** Every folder of the models directory, with its title or with what is wrong with it. */
export async function surveyModels(modelsDir: string): Promise<SurveyedModel[]> {
  const entries = await fs.readdir(modelsDir, { withFileTypes: true }).catch((cause) => {
    throw new AttestdError('setting-invalid', `${modelsDir} cannot be read (${errorText(cause)}).`, { cause })
  })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return Promise.all(folders.sort().map((id) => survey(modelsDir, id)))
}

async function survey(modelsDir: string, id: string): Promise<SurveyedModel> {
  try {
    const { manifest, digest } = await loadPackage(path.join(modelsDir, id))
    const { version, mediaTypes, title } = manifest
    return { id, version, mediaTypes, digest, says: title }
  } catch (error) {
    const { message, reason } = toAttestdError(error)
    return { id, version: null, mediaTypes: [], digest: null, says: `[${reason}] ${message}` }
  }
}

/**
 * Starts a real detector process, which checks every digest and runs every package's own sample.
 * @throws AttestdError manifest-invalid, model-digest-mismatch, detector-self-test-failed
 */
export async function verifyModels(settings: Settings): Promise<{ id: string; version: string; elapsedMs: number }[]> {
  const started = systemClock.monotonic()
  const host = await openDetectors(settings, { workers: 1 })
  const elapsedMs = Math.round(systemClock.monotonic() - started)
  await host.close()
  return host.detectors.map(({ id, version }) => ({ id, version, elapsedMs }))
}

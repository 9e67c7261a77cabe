import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import type { DetectorHostOptions } from '../../detect/host/create-detector-host.js'
import type { DetectorPackage } from '../../detect/package/package-loader.js'
import { requireAdmitted } from '../../lab/admit/admission-record.js'
import { dataPaths } from '../data-dir.js'

/** What the daemon asks of packages before it starts them, at the start and at each reload; nothing where the settings do not. */
export function admissionCheck({
  requireAdmission,
  requireOpenWeights,
  dataDir,
}: Pick<Settings, 'requireAdmission' | 'requireOpenWeights' | 'dataDir'>): Pick<DetectorHostOptions, 'admit'> {
  if (!requireAdmission && !requireOpenWeights) return {}
  return {
    admit: async (packages) => {
      if (requireOpenWeights) requireOpen(packages)
      if (requireAdmission) await requireAdmitted(packages, dataPaths(dataDir).admissions)
    },
  }
}

function requireOpen(packages: readonly DetectorPackage[]): void {
  const closed = packages.filter(({ manifest }) => !manifest.openWeights).map(({ manifest }) => manifest.id)
  if (closed.length === 0) return
  throw new AttestdError('detector-not-open', `The weights of ${closed.join(', ')} may not be used commercially.`)
}

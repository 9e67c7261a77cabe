import type { Settings } from '../../config/settings.js'
import type { DetectorHostOptions } from '../../detect/host/create-detector-host.js'
import { requireAdmitted } from '../../lab/admit/admission-record.js'
import { dataPaths } from '../data-dir.js'

/** What the daemon asks of packages before it starts them, at the start and at each reload; nothing where the settings do not. */
export function admissionCheck({
  requireAdmission,
  dataDir,
}: Pick<Settings, 'requireAdmission' | 'dataDir'>): Pick<DetectorHostOptions, 'admit'> {
  return requireAdmission ? { admit: (packages) => requireAdmitted(packages, dataPaths(dataDir).admissions) } : {}
}

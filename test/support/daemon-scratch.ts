import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Names the folder that all processes of one test run share. */
export const SCRATCH_VARIABLE = 'ATTESTD_TEST_SCRATCH'

/** Global setup of vitest: makes that folder and removes it at the end. Costs nothing where no test uses it. */
export default function setUp(): () => void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'attestd-scratch-'))
  process.env[SCRATCH_VARIABLE] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

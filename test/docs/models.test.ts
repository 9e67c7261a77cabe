import fs from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { packagePath } from '../../src/core/files.js'
import { read } from './pages.js'

const packages = fs
  .readdirSync(packagePath('models'))
  .filter((id) => fs.existsSync(packagePath('models', id, 'detector.json')))
const manifest = z.object({ version: z.string() })
const calibration = z.object({ detector: z.object({ version: z.string() }).partial().default({}) })

/** The versions that the kept figures of a package state to be of; most recipes write none. */
function measuredVersions(folder: string): string[] {
  const [, ofReport] = /^# Evaluation of \S+?@(\S+)/.exec(read(`${folder}/report.md`)) ?? []
  const { version } = calibration.parse(JSON.parse(read(`${folder}/calibration.json`))).detector
  return [ofReport, version].filter((one) => one !== undefined)
}

it.each(packages)('%s: its card states of which version its figures are, where that differs', (id) => {
  const { version } = manifest.parse(JSON.parse(read(`models/${id}/detector.json`)))
  const card = read(`models/${id}/card.md`)
  expect(card).toMatch(new RegExp(`^# ${id} ${version.replaceAll('.', '\\.')}$`, 'm'))
  for (const one of measuredVersions(`models/${id}/evaluation`)) {
    if (one !== version) expect(card).toContain(`computed for ${one}. ${version} has`)
  }
})

import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { diagnoseFfmpeg } from '../../../src/app/doctor/diagnose-programs.js'
import { ffmpeg } from '../../support/ffmpeg-tool.js'
import { folderForAll } from '../../support/temporary-folder.js'

const folder = folderForAll()

const program = async (name: string, script: string) => {
  const file = path.join(folder, name)
  await fs.writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return file
}

describe('diagnoseFfmpeg', () => {
  it('names what does not work without it, and how to install it', async () => {
    vi.stubEnv('PATH', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await diagnoseFfmpeg({ ffmpeg: 'ffmpeg' })).toEqual({
      check: 'ffmpeg',
      outcome: 'skipped',
      message: expect.stringMatching(/most video.*AAC.*media-unsupported/),
      fix: expect.stringMatching(/ATTESTD_FFMPEG/),
    })
  })

  it.each([
    ['is not there', async () => path.join(folder, 'nowhere'), /names .*nowhere/],
    ['is another program', () => program('other', 'echo hello'), /is not ffmpeg/],
    ['does not run', () => program('broken', 'exit 3'), /does not run/],
  ])('fails for a configured one that %s', async (_, make, message) => {
    const found = await diagnoseFfmpeg({ ffmpeg: await make() })
    expect(found).toMatchObject({ outcome: 'failed', message: expect.stringMatching(message) })
    expect(found.message).toContain('[setting-invalid]')
    expect(found.fix).toContain('Correct ATTESTD_FFMPEG')
  })

  it.skipIf(ffmpeg === null)(
    'reports version and confinement of an installed one (skipped without ffmpeg)',
    async () => {
      expect(await diagnoseFfmpeg({ ffmpeg: 'ffmpeg' })).toMatchObject({
        outcome: 'ok',
        message: expect.stringMatching(/^\/.* is version \S+; (fully confined|ffmpeg )/),
      })
    },
  )
})

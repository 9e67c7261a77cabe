import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  newControlToken,
  readControlFile,
  removeControlFile,
  writeControlFile,
} from '../../src/observe/control-file.js'
import { folderForEach } from '../support/temporary-folder.js'

describe('control.json', () => {
  const folder = folderForEach()
  const content = (token = newControlToken()) => ({ url: 'http://127.0.0.1:8780', token, pid: 42 })

  it.each(['', '{', '{}', '{"url":"x","token":"short","pid":0}'])('ignores %j', async (text) => {
    expect(await readControlFile(folder)).toBeNull()
    fs.writeFileSync(path.join(folder, 'control.json'), text)
    expect(await readControlFile(folder)).toBeNull()
  })

  it('is readable by its owner only, and kept when a later run has replaced it', async () => {
    const [first, second] = [content(), content()]
    await writeControlFile(folder, first)
    await writeControlFile(folder, second)
    expect(fs.statSync(path.join(folder, 'control.json')).mode & 0o777).toBe(0o600)
    await removeControlFile(folder, first.token)
    expect(await readControlFile(folder)).toEqual(second)
    await removeControlFile(folder, second.token)
    expect(await readControlFile(folder)).toBeNull()
  })
})

import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../../../src/app/open/find-program.js'
import { folderForEach } from '../../support/temporary-folder.js'

const root = folderForEach()

const at = (...names: string[]) => path.join(root, ...names)

describe('a program', () => {
  async function program(name: string, filemode = 0o755) {
    await fs.mkdir(path.dirname(at(name)), { recursive: true })
    await fs.writeFile(at(name), '')
    await fs.chmod(at(name), filemode)
    return at(name)
  }

  it('is the first executable of its name on the search path', async () => {
    await program('a/tool', 0o644)
    await fs.mkdir(at('b', 'tool'), { recursive: true })
    const third = await program('c/tool')
    await program('d/tool')
    const search = ['absent', '', 'a', 'b', 'c', 'd'].map((name) => name && at(name)).join(path.delimiter)
    expect(await findProgram('tool', search)).toBe(third)
    expect(await findProgram('other', search)).toBeNull()
    expect(await findProgram('tool', '')).toBeNull()
  })

  it('with a slash is that file only', async () => {
    const tool = await program('a/tool')
    expect(await findProgram(tool, '')).toBe(tool)
    expect(await findProgram(at('b/tool'), at('a'))).toBeNull()
    expect(await findProgram(path.relative(process.cwd(), tool), '')).toBe(tool)
  })
})

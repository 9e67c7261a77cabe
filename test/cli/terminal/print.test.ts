import fs from 'node:fs/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { printErrorLines, printLines, printText } from '../../../src/cli/terminal/print.js'
import { packagePath } from '../../../src/core/files.js'

describe('output of verbs', () => {
  it('passes through the functions that make it safe, in every verb', async () => {
    const folder = packagePath('src', 'cli')
    const files = (await fs.readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'))
    const direct: string[] = []
    for (const name of files) {
      const text = await fs.readFile(`${folder}/${name}`, 'utf8')
      if (/\.write\(|console\.|JSON\.stringify\([^()]*, null/.test(text)) direct.push(name)
    }
    expect(files.length).toBeGreaterThan(20)
    // The bar has no text from outside, and the prompt makes its question safe itself.
    expect(direct.toSorted()).toEqual(['terminal/password-prompt.ts', 'terminal/print.ts', 'terminal/progress.ts'])
  })

  it.each([
    ['printText', () => printText('a\u001bb\n'), 'stdout'],
    ['printLines', () => printLines(['a\u001bb']), 'stdout'],
    ['printErrorLines', () => printErrorLines(['a\u001bb']), 'stderr'],
  ] as const)('has %s replaced, which could control a terminal', (_, print, stream) => {
    const write = vi.spyOn(process[stream], 'write').mockReturnValue(true)
    onTestFinished(() => write.mockRestore())
    print()
    expect(write.mock.calls).toEqual([['a\ufffdb\n']])
  })
})

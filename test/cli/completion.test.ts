import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'

const script = async (shell: string) => (await attestdVerb(['completion', shell], {})).out

/** What bash offers after these words. */
async function offered(...words: string[]): Promise<string[]> {
  const typed = ['attestd', ...words].map((word) => `'${word}'`).join(' ')
  const asked = `${await script('bash')}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _attestd; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).split('\n').slice(0, -1)
}

function hasBash(): boolean {
  try {
    return (
      execFileSync('bash', ['-c', 'complete -p >/dev/null; echo yes'], { encoding: 'utf8', stdio: 'pipe' }) === 'yes\n'
    )
  } catch {
    return false
  }
}

describe('completion', () => {
  it.skipIf(!hasBash())('of bash offers verbs, subverbs, and flags after a dash', async () => {
    expect(await offered('sc')).toEqual(['score', 'scores'])
    expect(await offered('queue', 're')).toEqual(['retry', 'resume'])
    expect(await offered('queue', 'failed', '--li')).toEqual(['--limit'])
    expect(await offered('models', 'eval', 'attestd-image', '--da')).toEqual(['--data'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    // Files: the shell's own.
    expect((await offered('score', '')).filter((word) => word !== '')).toEqual([])
  })

  it.each(['bash', 'zsh', 'fish'])('for %s names every verb', async (shell) => {
    const text = await script(shell)
    for (const verb of ['run', 'doctor', 'models eval', 'queue failed', 'wallet address'])
      expect(text).toContain(`'${verb}'`)
  })

  it('of another shell is a wrong command line', async () => {
    expect((await attestdVerb(['completion', 'tcsh'], {})).code).toBe(64)
  })
})

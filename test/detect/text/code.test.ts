import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { looksLikeCode } from '../../../src/detect/text/code.js'

const PYTHON = `
def area(shape):
    """The area of a shape, in square meters."""
    if shape.kind == "circle":
        return PI * shape.radius ** 2
    for side in shape.sides:
        total = total + side
    return total
`
const PROSE = `
We took the early train, the one with the broken heating, and sat by the window (left side, always the left side).

Why? Because of the river; you see it for ten minutes, then never again. My brother drew it once = badly, he says.
"Not bad," I said, "for a man with one pencil." He laughed; the conductor laughed too. It cost 12 euros & a sandwich.
`
const LATEX =
  'We study the decay $B \\to K^* \\mu^+ \\mu^-$ and find that the rate agrees with theory. The angle $\\theta_K$ is measured.'

describe('looksLikeCode', () => {
  it.each([
    ['this very test', fs.readFileSync(new URL(import.meta.url), 'utf8').repeat(2)],
    ['a module of the project', fs.readFileSync('src/detect/text/windows.ts', 'utf8')],
    ['Python', PYTHON],
    [
      'JSON',
      JSON.stringify({ name: 'ferry', stops: ['north', 'south'], late: true, notes: { today: 'fog' } }, null, 2),
    ],
    ['HTML', '<ul>\n<li>One</li>\n<li>Two <b>bold</b></li>\n<li><a href="x">Three</a></li>\n</ul>'],
    ['CSS', 'body {\n  margin: 0;\n  color: red;\n}\np {\n  font-size: 12px;\n}\n'],
  ])('takes %s for code', (_, text) => {
    expect(looksLikeCode(text)).toBe(true)
  })

  it.each([
    ['a story', PROSE],
    ['an abstract with formulas', LATEX.repeat(3)],
    [
      'a list of bullets',
      Array.from({ length: 9 }, (_, n) => `- point ${n}: we went home (early) and slept.`).join('\n'),
    ],
    ['verse', 'The gulls went out,\nthe gulls came in;\nthe tide had left\nits silver skin.\nAnd then we slept.\n'],
    ['nothing', ''],
  ])('takes %s for prose', (_, text) => {
    expect(looksLikeCode(text)).toBe(false)
  })
})

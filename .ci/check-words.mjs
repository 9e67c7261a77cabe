// Refuses words in comments of src/ and in pages that the field has a better one for (`npm run lint`).
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'

/** Each with what to write instead. */
const WORDS = [
  ['says|said', 'states, reports, contains'],
  ['told', 'states, receives'],
  ['knock(?:s|ed)?', 'probe'],
  ['in charge', 'active'],
  ['brings?', 'returns, contains, adds'],
  ['tried again|tries again', 'retried'],
  ['gave word|is believed|lets in|shuts out|is warned of|given up', 'reports, trusts, admits, rejects'],
]
const PAGES = ['README.md', 'CONTRIBUTING.md', 'docs', 'models', 'samples', 'config']
const COMMENT = /\/\*.*?\*\/|(?:^|\s)\/\/[^\n]*/gs

const tracked = (...paths) => execFileSync('git', ['ls-files', ...paths], { encoding: 'utf8' }).split('\n')
/** The text with everything but its comments blanked, so that lines keep their numbers. */
const commentsOf = (text) => {
  const kept = [...text.matchAll(COMMENT)]
  let at = 0
  let out = ''
  for (const { index, 0: comment } of kept) {
    out += text.slice(at, index).replaceAll(/[^\n]/g, ' ') + comment
    at = index + comment.length
  }
  return out
}

const found = []
function check(file, text) {
  for (const [pattern, better] of WORDS) {
    for (const match of text.matchAll(new RegExp(`\\b(?:${pattern})\\b`, 'gi'))) {
      const line = text.slice(0, match.index).split('\n').length
      found.push(`${file}:${line}: "${match[0]}": write ${better}`)
    }
  }
}
for (const file of tracked('src')) if (file.endsWith('.ts')) check(file, commentsOf(fs.readFileSync(file, 'utf8')))
for (const file of tracked(...PAGES))
  if (file.endsWith('.md') && !file.includes('/evaluation/')) check(file, fs.readFileSync(file, 'utf8'))
for (const one of found) process.stdout.write(`${one}\n`)
process.exitCode = found.length > 0 ? 1 : 0

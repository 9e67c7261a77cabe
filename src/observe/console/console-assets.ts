import { createHash } from 'node:crypto'

/** How often a console page without scripts reloads itself, seconds. */
export const CONSOLE_REFRESH_S = 5

/** The console's style sheet, inline: the page loads nothing else. */
export const CONSOLE_STYLE = `
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--ink:#1b2430;--soft:#5d6b7c;--line:#dfe4ea;--ok:#14713a;--bad:#b3261e;--warn:#8a5a00;--accent:#1f5fbf;--bar:#d6dce4}
@media (prefers-color-scheme:dark){:root{--bg:#12161c;--card:#1a2029;--ink:#e6ebf2;--soft:#97a5b6;--line:#2b3440;--ok:#5fd38d;--bad:#ff8a80;--warn:#f2c265;--accent:#8ab4f8;--bar:#34404e}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main,footer{max-width:1180px;margin:0 auto;padding:0 20px}
header{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:baseline;padding-top:22px}
h1{font-size:22px;margin:0;letter-spacing:-.01em}
h2{font-size:13px;margin:0 0 10px;color:var(--soft);font-weight:600;text-transform:uppercase;letter-spacing:.05em}
a{color:var(--accent)}
nav{margin-left:auto;display:flex;gap:14px}
.soft{color:var(--soft)}.ok{color:var(--ok)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.state{font-weight:600}
.gone main{filter:grayscale(1);opacity:.5}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:14px;margin:16px 0}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;overflow-x:auto}
section.wide{margin:14px 0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-weight:500;color:var(--soft);text-align:left;font-size:13px}
th,td{padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
td.num,th.num{text-align:right}
td.line{white-space:nowrap}
td.name{overflow-wrap:anywhere;min-width:140px}
code,.mono{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 14px;margin:0}
dt{color:var(--soft)}dd{margin:0;text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
ul.checks{list-style:none;margin:0;padding:0}
ul.checks li{padding:5px 0;border-bottom:1px solid var(--line)}
ul.checks li:last-child{border-bottom:0}
.fix{display:block;color:var(--soft);font-size:13px}
meter{width:64px;height:10px;vertical-align:middle;margin-right:8px}
meter::-webkit-meter-bar{background:var(--bar);border:0}
meter::-webkit-meter-optimum-value{background:var(--accent)}
meter::-moz-meter-bar{background:var(--accent)}
details summary{cursor:pointer;color:var(--soft)}
footer{padding:10px 20px 28px;color:var(--soft);font-size:13px}
`

/** How often an open page asks, and how long it waits for an answer, milliseconds: together it notices within 5 s. */
const ASK_EVERY_MS = 2000
const ANSWER_LIMIT_MS = 2500

/**
 * Asks for the page again and again, also while it is hidden: its title then stands in a tab. Header and title always
 * follow; the rest stays while a person has something open. Without an answer both say so, in red, and since when.
 * Without scripts a `meta refresh` reloads.
 */
export const CONSOLE_SCRIPT = `
const clockTime = () => new Date().toISOString().slice(11, 19) + ' UTC'
let answeredAt = clockTime()
const swap = (page, part) => document.querySelector(part).replaceWith(page.querySelector(part))
async function follow() {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(${ANSWER_LIMIT_MS}) })
    if (!answer.ok) throw new Error(answer.statusText)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    answeredAt = clockTime()
    document.title = page.title
    document.querySelector('#live').className = ''
    swap(page, document.querySelector('details[open]') ? 'header' : '#live')
  } catch {
    const state = document.querySelector('.state')
    state.className = 'state bad'
    state.textContent = 'no answer since ' + answeredAt
    document.title = 'attestd: ' + state.textContent
    document.querySelector('#live').className = 'gone'
  }
  setTimeout(follow, ${ASK_EVERY_MS})
}
setTimeout(follow, ${ASK_EVERY_MS})
`

/** Content-Security-Policy of the console: only the two inline texts above, by digest, and reading itself. */
export const CONSOLE_CSP = [
  "default-src 'none'",
  `style-src '${sourceDigest(CONSOLE_STYLE)}'`,
  `script-src '${sourceDigest(CONSOLE_SCRIPT)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function sourceDigest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

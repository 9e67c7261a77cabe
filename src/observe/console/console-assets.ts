import { createHash } from 'node:crypto'

/** How often a console page without scripts reloads itself, seconds. */
export const CONSOLE_REFRESH_S = 5

/** The console's style sheet, inline. The plots take their colors from `--k0` and so on. */
export const CONSOLE_STYLE = `
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--ink:#1b2430;--soft:#5d6b7c;--line:#dfe4ea;--ok:#14713a;--bad:#b3261e;--warn:#8a5a00;--accent:#1f5fbf;--bar:#d6dce4;--k0:#1f5fbf;--k1:#b4530a;--k2:#14713a;--k3:#8a2f8f;--k4:#0a6c74;--k5:#8f2d2d}
@media (prefers-color-scheme:dark){:root{--bg:#12161c;--card:#1a2029;--ink:#e6ebf2;--soft:#97a5b6;--line:#2b3440;--ok:#5fd38d;--bad:#ff8a80;--warn:#f2c265;--accent:#8ab4f8;--bar:#34404e;--k0:#8ab4f8;--k1:#f2a65e;--k2:#5fd38d;--k3:#d79be0;--k4:#62cdd6;--k5:#ff9d94}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main,footer{max-width:1180px;margin:0 auto;padding:0 20px}
header{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:baseline;padding-top:22px}
h1{font-size:22px;margin:0;letter-spacing:-.01em}
h2{font-size:13px;margin:0 0 10px;color:var(--soft);font-weight:600;text-transform:uppercase;letter-spacing:.05em}
a{color:var(--accent)}
nav{margin-left:auto;display:flex;flex-wrap:wrap;gap:14px}
.soft{color:var(--soft)}.ok{color:var(--ok)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.state{font-weight:600}
.gone main{filter:grayscale(1);opacity:.5}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:14px;margin:16px 0}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;min-width:0}
section.wide{margin:14px 0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-weight:500;color:var(--soft);text-align:left;font-size:13px}
th,td{padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td,tr:last-child th{border-bottom:0}
tbody th{color:inherit;font-size:inherit;font-weight:inherit}
td.num,th.num{text-align:right}
td.line{white-space:nowrap}
td.name{overflow-wrap:anywhere;min-width:140px}
code{overflow-wrap:anywhere}
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
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.scroll{overflow-x:auto}
.outcome{min-width:150px;max-width:280px;overflow-wrap:anywhere}
form{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;margin:0 0 8px}
select,input,button{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:6px;padding:3px 8px;max-width:100%}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));gap:12px 20px;align-items:end}
figure{margin:0;min-width:0}
figcaption{font-size:13px;min-height:38px}
.plot{height:116px;overflow:hidden}
.plot:empty{display:none}
.legend{color:var(--soft)}.legend b{font-weight:600;color:var(--ink);font-variant-numeric:tabular-nums}
.key{display:inline-block}.key::before{content:"";display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:4px;background:var(--key)}
.k0{--key:var(--k0)}.k1{--key:var(--k1)}.k2{--key:var(--k2)}.k3{--key:var(--k3)}.k4{--key:var(--k4)}.k5{--key:var(--k5)}
@media (max-width:700px){
header,main,footer{padding-left:12px;padding-right:12px}
section{padding:14px 12px}th{font-size:12px}th,td{padding-right:4px}
nav{margin-left:0}
.cards,.cards tbody,.cards tr,.cards td{display:block;max-width:none}
.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards td.name,td.name,.outcome{min-width:0}
.cards tr{border-bottom:1px solid var(--line);padding:6px 0}
.cards td,.cards td.num{border:0;padding:2px 0 2px 104px;position:relative;text-align:left;white-space:normal;overflow-wrap:anywhere;min-height:24px}
.cards td::before{content:attr(data-label);position:absolute;left:0;color:var(--soft);font-size:13px}
}
footer{padding:10px 20px 28px;color:var(--soft);font-size:13px}
`

/** Content-Security-Policy of the console: the inline style by its digest, what this server serves, and asking it. */
export const CONSOLE_CSP = consoleCsp(CONSOLE_STYLE, ["connect-src 'self'", 'img-src data:'])

/** The policy of a page with this inline style. @param sources what it may load in addition to styles and scripts of this server */
export function consoleCsp(style: string, sources: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src 'self' '${sourceDigest(style)}'`,
    "script-src 'self'",
    ...sources,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function sourceDigest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

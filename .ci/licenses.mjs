// Writes NOTICE: the license of every package that an installed attestd may load. `--check` compares instead, and refuses a
// license or an install script that nobody has looked at; both lists of what was are in licenses.json. Those in its list
// `withoutIntegrity` are development tools for other platforms of which the registry that made the lockfile has no such version,
// so that nothing states their digest; without their entries `npm ci` would fail where the registry has them.
// No install script may run: npm 11 is told so by `allowScripts`, and an older npm runs one only where the lockfile has
// `hasInstallScript`. The setting `ignore-scripts` would keep `npm ci` from building as well.
import fs from 'node:fs'

const known = JSON.parse(fs.readFileSync('.ci/licenses.json', 'utf8'))
const { allowScripts } = JSON.parse(fs.readFileSync('package.json', 'utf8'))
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'))
const all = Object.entries(packages).flatMap(([path, entry]) => (path === '' ? [] : [described(path, entry)]))

const problems = all.flatMap(({ name, version, license, runsScript, isDev, isUnverified }) => [
  ...(known.licenses.includes(license) ? [] : [`${name} ${version}: nobody has looked at the license ${license}`]),
  ...(runsScript && !(name in allowScripts) ? [`${name} ${version}: nobody has looked at its install script`] : []),
  ...(runsScript
    ? [`${name} ${version}: has hasInstallScript in the lockfile; remove it, so that no npm runs the script`]
    : []),
  ...(isUnverified && !(isDev && known.withoutIntegrity.includes(name))
    ? [`${name} ${version}: has no integrity in the lockfile`]
    : []),
])
const notice = noticeOf(all.filter(({ isDev }) => !isDev))
if (!process.argv.includes('--check')) fs.writeFileSync('NOTICE', notice)
else if (fs.readFileSync('NOTICE', 'utf8') !== notice) problems.push('NOTICE is out of date: npm run notice')
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
}

/** The lockfile takes licenses from the packages; of those that state none, the list says what their license file is. */
function described(path, { version, license, dev = false, hasInstallScript = false, integrity }) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const stated = license ?? known.stated[name] ?? 'not stated'
  return {
    name,
    version,
    license: stated,
    isDev: dev,
    runsScript: hasInstallScript,
    isUnverified: integrity === undefined,
  }
}

function noticeOf(shipped) {
  const blocks = [...new Set(shipped.map(({ license }) => license))].sort().map((license) => {
    const of = shipped.filter((each) => each.license === license)
    const names = [...new Set(of.map(({ name, version }) => `  ${name} ${version}`))].sort()
    return `${license}\n${names.join('\n')}\n`
  })
  return `attestd is under the Apache License 2.0 (see LICENSE); weights of detectors are restricted further (see models/).

It loads the packages below, installed by npm under their own licenses, whose texts lie in their folders. Those under the
LGPL and the MPL are used unchanged, and each can be replaced by another build of the same package. Written by npm run notice.

${blocks.join('\n')}`
}

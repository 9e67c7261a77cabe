// Published detectors beside ours, from evaluation/peers.json of a package: a line of models/RESULTS.md, and its evaluation/peers.md.

const HEAD = [
  'Detector',
  'License',
  'Files',
  'AUC',
  'Found at 5 % of real ones flagged',
  'At its own threshold',
  'Refused',
]

/** The lines of one table, ours first; `peers` is what .ci/peers/measure.py wrote. */
export function peersTable(id, { about, detectors }) {
  const isOurs = ({ name }) => name.startsWith(`${id} `)
  const rows = detectors
    .toSorted((a, b) => isOurs(b) - isOurs(a))
    .flatMap(({ name, what, license, groups }) =>
      Object.entries(groups).map(([group, one]) => [
        `${name} (${what})`,
        license ?? '–',
        `${group}: ${one.fake} fake, ${one.real} real`,
        withInterval(one.auc, figure),
        withInterval(one.tprAt5, percent),
        ownThreshold(one),
        String(one.refused),
      ]),
    )
  return [`**${id} and its peers**: ${about}`, '', row(HEAD), row(HEAD.map(() => '---')), ...rows.map(row)].join('\n')
}

/** The AUC of each detector on whole files as found, the best first. */
export function peersLine(id, { detectors }) {
  const reached = detectors
    .map(({ name, groups }) => ({ name, auc: (groups.native ?? groups.all).auc }))
    .filter(({ auc }) => auc !== null)
    .toSorted((a, b) => b.auc.value - a.auc.value)
  const shown = reached.map(({ name, auc }) => `${name} ${figure(auc.value)}`)
  return `- **${id}**: ${shown.join(', ')} ([files and intervals](${id}/evaluation/peers.md))`
}

/** Null where it refused all files of one class. */
function withInterval(found, text) {
  return found === null ? '–' : `${text(found.value)} (${text(found.low)} to ${text(found.high)})`
}

function ownThreshold({ fakeFlagged, realFlagged, balancedAccuracy }) {
  if (balancedAccuracy === undefined) return '–'
  return `${percent(fakeFlagged)} of fakes, ${percent(realFlagged)} of real ones; balanced accuracy ${percent(balancedAccuracy)}`
}

const figure = (value) => value.toFixed(2)
const percent = (value) => `${Math.round(100 * value)} %`
const row = (cells) => `| ${cells.join(' | ')} |`

// The tables of models/RESULTS.md that set published detectors beside ours, from evaluation/peers.json of a package.

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

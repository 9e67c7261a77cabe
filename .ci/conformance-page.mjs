// The conformance table, from the rows of the tests that passed.
const TITLES = {
  'signed-key': 'Signed-key REST API (v1)',
  'wallet-session': 'Wallet-session HTTP API',
}

const HEAD = `# Conformance

Every rule of the two service documents, by route, checked on both sides: on the sandbox by hand-made HTTP requests, on the client by
what it sends and how it handles answers. A rule that does not apply to a side states why. What a document leaves open is in
\`src/sandbox/choices.ts\` and \`src/sandbox/wallet-session/choices.ts\`. The tests are in \`test/conformance\`; \`npm run conformance\`
writes this page from those that passed.
`

/** @param rows of every test that passed, in order @param routes by API */
export function conformancePage(rows, routes) {
  const sections = Object.keys(routes).map((api) => section(api, rulesOf(rows, api, routes[api])))
  return [HEAD, ...sections].join('\n')
}

/** Routes of the documents without a rule of their own that passed. */
export function uncovered(rows, routes) {
  return Object.entries(routes).flatMap(([api, list]) =>
    list.filter((route) => !rows.some((row) => row.api === api && row.route === route)),
  )
}

function rulesOf(rows, api, routes) {
  const rules = new Map()
  for (const row of rows.filter((one) => one.api === api)) {
    const key = JSON.stringify([row.route, row.rule])
    const rule = rules.get(key) ?? { ...row, sides: { ...row.absent } }
    rule.sides[row.side] = '✓'
    rules.set(key, rule)
  }
  const place = (route) => (routes.includes(route) ? routes.indexOf(route) : route === 'every route' ? -2 : -1)
  return [...rules.values()].sort((a, b) => place(a.route) - place(b.route))
}

function section(api, rules) {
  const checks = rules.reduce((sum, { sides }) => sum + Object.values(sides).filter((side) => side === '✓').length, 0)
  const lines = rules.flatMap(({ route, rule, sides }, index) => {
    const title = route.startsWith('every') ? route : `\`${route}\``
    const heading = route === rules[index - 1]?.route ? [] : ['', `**${title}**`, '']
    return [...heading, `- ${rule}${absent(sides)}`]
  })
  return [`## ${TITLES[api]}`, '', `${rules.length} rules, ${checks} checks.`, ...lines, ''].join('\n')
}

/** Why a side has no check, or which side's check is missing. */
function absent(sides) {
  const reasons = ['sandbox', 'client'].filter((side) => sides[side] !== '✓')
  return reasons.map((side) => ` *Not on the ${side}: ${(sides[side] ?? 'no check').replace(/^– /, '')}.*`).join('')
}

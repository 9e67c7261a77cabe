import { expect, it } from 'vitest'
import { filterRows, recentQuery } from '../../../src/observe/console/recent-filter.js'
import { replayCommand } from '../../../src/observe/console/recent-section.js'
import { HOSTILE, sampleState, startTestServer } from '../console-parts.js'

const { recent } = sampleState()

it.each([
  [{ outcome: 'failed' }, ['failed']],
  [{ text: 'ANOTHER score' }, ['failed']],
  [{ text: ' photo 1 ' }, ['confirmed']],
  [{ outcome: 'closed', text: 'score_01' }, []],
  [{ outcome: '', text: '' }, ['accepted', 'confirmed', 'abstained', 'closed', 'failed']],
])('%j shows %j', (query, outcomes) => {
  expect(filterRows(recent, recentQuery.parse(query)).map(({ outcome }) => outcome)).toEqual(outcomes)
})

it.each([
  ['plain', 'npx attestd replay --config /srv/a.yaml plain'],
  ["it's; rm -rf $HOME", "npx attestd replay --config /srv/a.yaml 'it'\\''s; rm -rf $HOME'"],
  ['--help', 'npx attestd replay --config /srv/a.yaml -- --help'],
  ['', "npx attestd replay --config /srv/a.yaml ''"],
])('the id %j is one word of a shell', (id, line) => {
  expect(replayCommand(id, ['--config', '/srv/a.yaml'])).toBe(line)
})

it('the page shows the requested rows, a failed one with its message and risk, and refuses an unknown outcome', async () => {
  const { server } = await startTestServer()
  const get = async (query: string) => (await fetch(`${server.url}/?${query}`)).text()
  const failed = await get('outcome=failed')
  expect(failed).toContain('The service has another score of this key.')
  expect(failed).toContain('12.3')
  expect(failed).not.toContain('score_01')
  expect(failed).toContain('1 of 1 shown.')
  expect(await get(`text=${encodeURIComponent(HOSTILE)}`)).not.toContain('<script>alert')
  expect(await get('text=nowhere')).toContain('None of the last 5 matches.')
  expect((await fetch(`${server.url}/?outcome=bad`)).status).toBe(400)
})

it('the history and the files of the console need the rights of the console', async () => {
  const { server } = await startTestServer({ password: 'correct horse' })
  for (const route of ['/history', '/console/plots.js', '/console/uplot.js']) {
    expect((await fetch(server.url + route)).status).toBe(401)
  }
})

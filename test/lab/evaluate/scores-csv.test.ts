import { expect, it } from 'vitest'
import { scoresCsv } from '../../../src/lab/evaluate/scores-csv.js'
import { refusedRow, scoredRow } from '../../support/scored-rows.js'

it('the table of scores has a line a row with what each got, and no formula of a file name', () => {
  const rows = [
    scoredRow(0.25, false, {
      id: '=1+1,a',
      columns: { source: 'cam', generator: '-' },
      rawScore: -1.0986,
      notes: 'say "x"',
    }),
    scoredRow(0.5, true, { id: 'b', unsure: true, unsureBecause: 'flip', rawScore: 0 }),
    refusedRow('c', true, { message: 'no picture' }),
  ]
  expect(scoresCsv(rows).split('\r\n')).toEqual([
    'path,label,source,generator,risk,logit,unsure,reason,sha256,notes',
    `"'=1+1,a",real,cam,-,0.25,-1.0986,,,${'a'.repeat(64)},"say ""x"""`,
    `b,fake,,,0.5,0,flip,,${'a'.repeat(64)},n`,
    `c,fake,,,,,,media-type-mismatch,${'b'.repeat(64)},no picture`,
    '',
  ])
})

import { describe, expect, it } from 'vitest'
import { mistakeCards } from '../../../src/lab/report/mistake-cards.js'
import { textOf } from './text-of-page.js'

describe('the cards of mistakes', () => {
  const mistake = (change: object = {}) => ({
    id: 'a.jpg',
    fake: false,
    risk: 0.876,
    unsureBecause: null,
    note: 'five crops',
    columns: { source: 'cam', generator: '-' },
    ...change,
  })

  it('show the picture where there is one, the risk, and the source of the file', () => {
    const { text } = mistakeCards({ real: [mistake()], fake: [] }, new Map([['a.jpg', 'data:image/jpeg;base64,AA']]))
    expect(text).toContain('<img alt="" src="data:image/jpeg;base64,AA">')
    expect(textOf(text)).toContain('Real, but the highest risks 87.6 a.jpg cam five crops')
    expect(textOf(text)).toContain('Fake, but the lowest risks None: every file of this class')
  })

  it('are wide for texts without a picture; unsure ones are marked', () => {
    const { text } = mistakeCards({ real: [mistake({ unsureBecause: 'flip', columns: {} })], fake: [] }, new Map())
    expect(text).toContain('class="cards words"')
    expect(text).not.toContain('<img')
    expect(text).toContain('>unsure<')
  })
})

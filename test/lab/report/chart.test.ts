import { describe, expect, it } from 'vitest'
import { bars, chart, dot, intervalBar, line, stretch } from '../../../src/lab/report/chart.js'
import { textOf } from './text-of-page.js'

describe('a chart', () => {
  // The unit square lies from (44, 230) up to (344, 10).
  it('has its origin at the lower left', () => {
    const corners = line(
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ],
      'curve',
    ).text
    expect(corners).toBe('<polyline class="curve" points="44,230 344,230 344,10 44,10"/>')
    expect(dot([0.5, 0.25], 3, 'point', 'a & b').text).toBe(
      '<circle class="point" cx="194" cy="175" r="3"><title>a &amp; b</title></circle>',
    )
  })

  it('has bars that stand on the axis, side by side', () => {
    const [first, second] = bars([1, 0.5], 'real', (index) => `bar ${index}`).map(({ text }) => text)
    expect(first).toContain('x="44" y="10" width="150" height="220"><title>bar 0<')
    expect(second).toContain('x="194" y="120" width="150" height="110"><title>bar 1<')
  })

  it('shades a range over its whole height', () => {
    expect(stretch(0.25, 0.75, 'band', 'band').text).toContain('x="119" y="10" width="150" height="220"')
  })

  it('labels its axes and ticks, and has a text alternative', () => {
    const { text } = chart({ x: 'right', y: 'up', label: 'a "chart"', xTicks: ['a', 'b'] }, [])
    expect(text).toContain('role="img" aria-label="a &quot;chart&quot;"')
    expect(textOf(text)).toMatch(/a 0 b 0\.25 0\.5 0\.75 1 right up/)
  })

  it('shows a value and its interval on a line from 0 to 1', () => {
    const { text } = intervalBar(0.5, 0, 1)
    expect(text).toContain('<line class="whisker" x1="2" x2="118"')
    expect(text).toContain('<circle class="point" cx="60"')
  })
})

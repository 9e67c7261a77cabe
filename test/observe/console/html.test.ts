import { describe, expect, it } from 'vitest'
import { Html, html } from '../../../src/observe/console/html.js'

describe('html', () => {
  it('escapes inserted text once, also in nested lists', () => {
    const hostile = `<b a="1" c='2'>&amp;`
    const escaped = '&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;'
    expect(html`<p>${hostile}</p>`.text).toBe(`<p>${escaped}</p>`)
    expect(html`${[hostile, [hostile, 7]]}`.text).toBe(`${escaped}${escaped}7`)
  })

  it('keeps its own results, and shows nothing for null', () => {
    expect(html`<ul>${[1, 2].map((nth) => html`<li>${nth}</li>`)}</ul>${null}`.text).toBe(
      '<ul><li>1</li><li>2</li></ul>',
    )
    expect(html`${new Html('<br>')}${''}${0}`.text).toBe('<br>0')
  })
})

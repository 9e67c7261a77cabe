import { describe, expect, it } from 'vitest'
import { milliseconds, shortDigest, shortEther } from '../../../src/observe/console/console-text.js'
import { Html, html } from '../../../src/observe/console/html.js'

describe('shortEther', () => {
  const ETHER = 10n ** 18n
  it.each([
    [0n, '0'],
    [1n, '0'],
    [10n ** 12n - 1n, '0'],
    [10n ** 12n, '0.000001'],
    [ETHER - 1n, '0.999999'],
    [ETHER, '1'],
    [ETHER + 5n * 10n ** 17n, '1.5'],
    [ETHER + 10n ** 12n, '1.000001'],
    [2n * ETHER - 1n, '1.999999'],
    [10n * ETHER, '10'],
    [1_000_000n * ETHER, '1000000'],
    [2n ** 256n - 1n, '115792089237316195423570985008687907853269984665640564039457.584007'],
  ])('%s wei are %s ether, cut and never rounded up', (wei, ether) => {
    expect(shortEther(String(wei))).toBe(ether)
  })

  it('does not show leading zeros', () => {
    expect(shortEther(`000${2n * ETHER}`)).toBe('2')
    expect(shortEther('0'.repeat(40))).toBe('0')
  })

  it.each(['', '-1', '1.5', '0x10', '1e18', ' 1', 'many'])('shows %j, which is no amount, as unknown', (wei) => {
    expect(shortEther(wei)).toBe('?')
  })
})

it.each([
  [null, '?'],
  [0, '0 ms'],
  [0.4, '0 ms'],
  [12.6, '13 ms'],
  [9999, '9999 ms'],
  [10_000, '10.0 s'],
  [61_250, '61.3 s'],
  [-9999, '-9999 ms'],
  [-10_000, '-10.0 s'],
])('milliseconds %j is %s', (ms, text) => {
  expect(milliseconds(ms)).toBe(text)
})

it('a short digest is its first twelve digits', () => {
  expect(shortDigest('0123456789abcdef'.repeat(4))).toBe('0123456789ab')
})

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

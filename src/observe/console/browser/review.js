// Runs on the review pages: j and k move through the list, r goes to the risk of an asset, u back to the list. Without scripts the tab key does.

const rows = [...document.querySelectorAll('[data-row]')]

/** The list reloads itself: the row that had the focus has it again. */
const FOCUSED = 'attestd-review-row'
const linkOf = (row) => row?.getAttribute('href') ?? ''
if (rows.length > 0) {
  rows.find((row) => linkOf(row) === sessionStorage.getItem(FOCUSED))?.focus({ preventScroll: true })
  addEventListener('pagehide', () => sessionStorage.setItem(FOCUSED, linkOf(document.activeElement)))
}

addEventListener('keydown', (event) => {
  const { altKey, ctrlKey, key, metaKey, target } = event
  if (altKey || ctrlKey || metaKey || target instanceof HTMLInputElement) return
  const at = rows.indexOf(document.activeElement)
  if (key === 'j') rows[Math.min(at + 1, rows.length - 1)]?.focus()
  if (key === 'k') rows[Math.max(at - 1, 0)]?.focus()
  if (key === 'r') {
    const risk = document.querySelector('input[name=risk]')
    // The letter would be entered there.
    if (risk) event.preventDefault()
    risk?.focus()
  }
  if (key === 'u') document.getElementById('list').click()
})

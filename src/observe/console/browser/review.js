// Runs on the review pages: j and k move through the list, u goes back to it. Without scripts the tab key does.

const rows = [...document.querySelectorAll('[data-row]')]

addEventListener('keydown', ({ altKey, ctrlKey, key, metaKey, target }) => {
  if (altKey || ctrlKey || metaKey || target instanceof HTMLInputElement) return
  const at = rows.indexOf(document.activeElement)
  if (key === 'j') rows[Math.min(at + 1, rows.length - 1)]?.focus()
  if (key === 'k') rows[Math.max(at - 1, 0)]?.focus()
  if (key === 'u') document.getElementById('list').click()
})

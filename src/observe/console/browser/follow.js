// Runs in the console: asks for the page again and again, also while it is hidden, since its title then stands in a tab.
// Without an answer header and title say so, in red, and since when. Without scripts a `meta refresh` reloads.

/** How often an open page asks, and how long it waits for an answer, milliseconds: together it notices within 5 s. */
const ASK_EVERY_MS = 2000
const ANSWER_LIMIT_MS = 2500

const clockTime = () => `${new Date().toISOString().slice(11, 19)} UTC`
let answeredAt = clockTime()

async function follow() {
  try {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, signal })
    if (!answer.ok) throw new Error(answer.statusText)
    show(new DOMParser().parseFromString(await answer.text(), 'text/html'))
    answeredAt = clockTime()
  } catch {
    showState('bad', `no answer since ${answeredAt}`)
    document.body.className = 'gone'
  }
  setTimeout(follow, ASK_EVERY_MS)
}

function show(page) {
  // The scripts of another release would not fit this page.
  if (page.documentElement.dataset.release !== document.documentElement.dataset.release) {
    location.reload()
    return
  }
  const state = page.getElementById('state')
  showState(state.dataset.tone, state.textContent)
  document.body.className = ''
  for (const part of document.querySelectorAll('[data-live]')) swap(part, page.getElementById(part.id))
}

/** Changed in place and only where it differs: a screen reader speaks each change. */
function showState(tone, text) {
  const state = document.getElementById('state')
  state.className = `state ${tone}`
  if (state.textContent !== text) state.textContent = text
  document.title = `attestd: ${text}`
}

/** Replaces what a part holds; what is open stays open, and the focus stays where it is. */
function swap(part, fresh) {
  const selection = getSelection()
  // Somebody is about to copy.
  if (selection && !selection.isCollapsed && part.contains(selection.anchorNode)) return
  const open = [...part.querySelectorAll('details[open]')].map(({ id }) => id)
  const scrolled = [...part.querySelectorAll('.scroll')].map(({ scrollLeft }) => scrollLeft)
  const focused = part.contains(document.activeElement) ? document.activeElement.id : ''
  part.replaceChildren(...fresh.childNodes)
  for (const id of open) document.getElementById(id)?.setAttribute('open', '')
  for (const [nth, one] of [...part.querySelectorAll('.scroll')].entries()) one.scrollLeft = scrolled[nth] ?? 0
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true })
}

setTimeout(follow, ASK_EVERY_MS)

// Runs on a page that stands in for another: shows that one as soon as the server gives it.

const LOOK_EVERY_MS = 2000

async function look() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null)
  if (answer?.ok) location.reload()
  else setTimeout(look, LOOK_EVERY_MS)
}

setTimeout(look, LOOK_EVERY_MS)

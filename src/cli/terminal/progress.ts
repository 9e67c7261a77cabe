const WIDTH = 30
/** Off a terminal, such as in a CI log, this many lines for the whole way. */
const LINES = 10

/** A bar that shows how many of how many are done: one line that moves on a terminal, elsewhere a line now and then. */
export function progressBar(out: NodeJS.WriteStream, what: string): (done: number, of: number) => void {
  let shown = -1
  return (done, of) => {
    if (done === shown) return
    shown = done
    const filled = Math.round((done / of) * WIDTH)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${of} ${what}`
    if (out.isTTY) out.write(`\r  ${bar}${done === of ? '\n' : ''}`)
    else if (done === of || done % Math.ceil(of / LINES) === 0) out.write(`  ${bar}\n`)
  }
}

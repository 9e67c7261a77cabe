const PLAIN = /^[\w./:@%+=,-]+$/

/**
 * A line for a shell that measures a verdict again.
 * @param flags that find the ledger, such as `--config FILE`
 */
export function replayCommand(assetId: string, flags: readonly string[]): string {
  // After `--` an id is one even where it looks like a flag.
  const words = ['npx', 'attestd', 'replay', ...flags, ...(assetId.startsWith('-') ? ['--'] : []), assetId]
  return words.map(quoted).join(' ')
}

/** The text of the service stays one word, whatever is in it. */
function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

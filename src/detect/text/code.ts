/** Shares of marks and line shapes above which a text is taken for source code or data; prose stays below a third of each. */
const MAX_MARK_SHARE = 0.04
const MAX_CODE_LINE_SHARE = 0.3
/** A text with fewer lines is judged by its marks alone. */
const MIN_LINES = 5

const CODE_MARKS = /[{}[\]<>=;|@#~`]/g
/** Lines that end or begin as statements, tags, records and comments do. */
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:[}\])]|<[/!?a-z]|(?:import|export|from|def|class|function|return|if|else|elif|for|while|const|let|var|public|private|static|void|int|#include|using|package|try|catch|end)\b[^!?]*[({:;=)]\s*$|\/\/|\/\*|"[^"]+"\s*:)|^[^.!?]*\w\([^)]*\)(?:\s*;)?\s*$|^\s*[\w.]+\s*=\s*\S/

/** Whether a text, as it was before normalization, is mostly source code, markup or data rather than prose. */
export function looksLikeCode(text: string): boolean {
  const visible = text.replace(/\s/g, '').length
  const marks = text.match(CODE_MARKS)?.length ?? 0
  if (marks > MAX_MARK_SHARE * visible) return true
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < MIN_LINES) return false
  // Lines are cut: a line of code is short, and the pattern looks at a line more than once.
  const shaped = lines.filter((line) => line.length <= 300 && CODE_LINE.test(line)).length
  return shaped > MAX_CODE_LINE_SHARE * lines.length
}

import { systemClock } from '../../src/core/clock.js'
import { ParserWatch } from '../../src/detect/contract/parser-watch.js'

/** Parsers in the process of the test, which nobody would replace. */
export const unwatched = new ParserWatch(systemClock, () => {})

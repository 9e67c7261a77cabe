import type { OrderAnswer } from '../../app/verbs/order-detectors.js'
import { EXIT } from '../../core/shutdown.js'
import { shortDigest } from '../../core/text.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import { partText } from './part-text.js'

/** Prints what became of an order; the exit code is 1 where a daemon did not carry it out. */
export function printOrder(json: boolean | undefined, answer: OrderAnswer): void {
  printFound(json, answer, () => orderLines(answer))
  process.exitCode = answer.daemons.every(({ outcome }) => outcome === 'done') ? EXIT.ok : EXIT.failed
}

/** Lines of what is in use after an order, the daemons that did not carry it out, and the media that lost its last detector. */
export function orderLines({ daemons, detectors }: OrderAnswer): string[] {
  const inUse = () =>
    table(detectors, [
      { title: 'in use now', min: 16, of: ({ id }) => id },
      { title: 'version', drop: 1, of: ({ version }) => version },
      { title: 'media types', min: 12, of: ({ mediaTypes }) => mediaTypes.join(', ') },
      { title: 'part', of: partText },
      { title: 'digest', drop: 2, of: ({ digest }) => shortDigest(digest) },
    ])
  const outcomes = () =>
    table(daemons, [
      { title: 'daemon', min: 16, of: ({ daemon }) => daemon },
      { title: 'outcome', of: ({ outcome }) => outcome },
      { title: 'message', max: 90, min: 24, of: ({ message }) => message },
    ])
  const tables = [
    ...(detectors.length > 0 ? [inUse()] : []),
    ...(daemons.length > 1 || detectors.length === 0 ? [outcomes()] : []),
  ]
  const warnings = daemons
    .filter(({ lost }) => lost.length > 0)
    .map(({ daemon, lost }) => `warning: ${daemon} has no detector for ${lost.join(', ')} any more [detector-none]`)
  return [...tables.flatMap((text) => text.split('\n')), ...warnings]
}

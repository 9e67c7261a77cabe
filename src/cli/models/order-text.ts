import type { OrderAnswer } from '../../app/verbs/order-detectors.js'
import { table } from '../terminal/table.js'
import { partText } from './part-text.js'

/** Lines of what is in use after an order, the daemons that did not carry it out, and the media that lost its last detector. */
export function orderLines({ daemons, detectors }: OrderAnswer): string[] {
  const columns = [
    { title: 'in use now', min: 16 },
    { title: 'version', drop: 1 },
    { title: 'media types', min: 12 },
    { title: 'part' },
    { title: 'digest', drop: 2 },
  ]
  const rows = detectors.map(({ id, version, digest, mediaTypes, ...part }) => [
    id,
    version,
    mediaTypes.join(', '),
    partText(part),
    digest.slice(0, 12),
  ])
  const others = [{ title: 'daemon', min: 16 }, { title: 'outcome' }, { title: 'message', max: 90, min: 24 }]
  const outcomes = daemons.map(({ daemon, message, outcome }) => [daemon, outcome, message])
  const tables = [
    ...(rows.length > 0 ? [table(columns, rows)] : []),
    ...(daemons.length > 1 || rows.length === 0 ? [table(others, outcomes)] : []),
  ]
  const warnings = daemons
    .filter(({ lost }) => lost.length > 0)
    .map(({ daemon, lost }) => `warning: ${daemon} has no detector for ${lost.join(', ')} any more [detector-none]`)
  return [...tables.flatMap((text) => text.split('\n')), ...warnings]
}

import fs from 'node:fs/promises'
import { Command } from 'commander'
import type { DemoProgress, DemoResult, DemoRow } from '../app/demo.js'
import { EXIT } from '../core/shutdown.js'
import { progressBar } from './progress.js'
import { table } from './table.js'

export function demoVerb(): Command {
  return new Command('demo')
    .description('Score real sample media end to end against a local sandbox, with nothing installed but Node.')
    .option('--json <file>', 'also write the result as JSON')
    .action(demo)
}

async function demo({ json }: { json?: string }): Promise<void> {
  const { runDemo } = await import('../app/demo.js')
  const result = await runDemo(progressOn(process.stderr))
  process.stdout.write(`\n${demoTable(result.rows)}\n\n${summary(result)}\n`)
  if (json) await fs.writeFile(json, `${JSON.stringify(result, null, 2)}\n`)
  process.exitCode = result.ok ? EXIT.ok : EXIT.failed
}

function progressOn(out: NodeJS.WriteStream): DemoProgress {
  return { step: (text) => out.write(`• ${text}\n`), scored: progressBar(out, 'scored') }
}

function demoTable(rows: readonly DemoRow[]): string {
  const columns = [
    { title: 'asset', max: 38 },
    { title: 'kind' },
    { title: 'made' },
    { title: 'risk', right: true },
    { title: 'detector' },
    { title: 'open→accepted', right: true },
    { title: 'receipt', max: 40 },
  ]
  return table(
    columns,
    rows.map((row) => [
      row.title,
      row.mediaType,
      row.made,
      row.risk?.toFixed(2) ?? '–',
      row.detector ?? row.reason ?? 'no score',
      row.openToAcceptedMs === null ? '–' : `${(row.openToAcceptedMs / 1000).toFixed(2)} s`,
      row.receiptId ?? '–',
    ]),
  )
}

function summary({ ok, rows, daemonExit, startMs, wallMs, logFile }: DemoResult): string {
  const once = rows.filter(({ accepted }) => accepted === 1).length
  const twice = rows.filter(({ accepted }) => accepted > 1).length
  const times = rows.flatMap(({ openToAcceptedMs }) => openToAcceptedMs ?? []).sort((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)]
  const flagged = (made: DemoRow['made']) => {
    const all = rows.filter((row) => row.made === made)
    return `${all.filter(({ risk }) => (risk ?? 0) >= 50).length} of ${all.length}`
  }
  const lines = [
    `${once} of ${rows.length} assets have exactly one accepted score${twice > 0 ? `, ${twice} have more` : ''}.`,
    `Risk 50 or more: ${flagged('machine')} machine-made, ${flagged('real')} real. A handful of samples is no benchmark; the detector's card has its measured figures.`,
    `Daemon ready after ${(startMs / 1000).toFixed(1)} s, median open→accepted ${((median ?? 0) / 1000).toFixed(2)} s, everything ${(wallMs / 1000).toFixed(1)} s; the daemon's exit code was ${daemonExit}.`,
  ]
  if (logFile) lines.push(`The daemon's log: ${logFile}`)
  return `${lines.join('\n')}\n${ok ? 'Demo passed.' : 'Demo FAILED.'}`
}

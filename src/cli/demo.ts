import fs from 'node:fs/promises'
import { Command, Option } from 'commander'
import type { DemoRow } from '../app/demo/demo-rows.js'
import type { DemoOptions, DemoProgress, DemoResult } from '../app/demo/run-demo.js'
import { percentOf, riskText } from '../core/risk.js'
import { safeJson } from '../core/safe-output.js'
import { EXIT } from '../core/shutdown.js'
import { printErrorLines, printText } from './terminal/print.js'
import { progressBar } from './terminal/progress.js'
import { table } from './terminal/table.js'

/** `attestd demo`; exits with 1 where an asset lacks its one score, or its attestation, or the daemon ended badly. */
export function demoVerb(): Command {
  return new Command('demo')
    .description('Score real sample media end to end against a local sandbox, with nothing installed but Node.')
    .addOption(
      new Option('--api <api>', 'which API the daemon and the submitter speak')
        .choices(['signed-key', 'wallet-session'])
        .default('signed-key'),
    )
    .option('--json <file>', 'also write the result as JSON')
    .action(demo)
}

async function demo({ api, json }: DemoOptions & { json?: string }): Promise<void> {
  const { runDemo } = await import('../app/demo/run-demo.js')
  const result = await runDemo({ api }, progressOn(process.stderr))
  printText(`\n${demoTable(result)}\n\n${summary(result)}\n`)
  if (json) await fs.writeFile(json, `${safeJson(demoDocument(result), 2)}\n`)
  process.exitCode = result.ok ? EXIT.ok : EXIT.failed
}

/** The result as it is written: risks are percentages there. */
function demoDocument({ rows, ...result }: DemoResult) {
  return { ...result, rows: rows.map((row) => ({ ...row, risk: row.risk === null ? null : percentOf(row.risk) })) }
}

function progressOn(out: NodeJS.WriteStream): DemoProgress {
  return { step: (text) => printErrorLines([`• ${text}`]), scored: progressBar(out, 'scored') }
}

function demoTable({ api, rows }: DemoResult): string {
  return table(rows, [
    { title: 'asset', max: 38, of: ({ title }) => title },
    { title: 'kind', of: ({ mediaType }) => mediaType },
    { title: 'made', of: ({ made }) => made },
    { title: 'risk', right: true, of: ({ risk }) => (risk === null ? '–' : riskText(risk, 2)) },
    { title: 'detector', of: ({ detector, reason }) => detector ?? reason ?? 'no score' },
    {
      title: 'open→accepted',
      right: true,
      of: ({ openToAcceptedMs: ms }) => (ms === null ? '–' : `${(ms / 1000).toFixed(2)} s`),
    },
    { title: 'receipt', max: 40, of: ({ receiptId }) => receiptId ?? '–' },
    ...(api === 'wallet-session' ? [{ title: 'attestation', max: 40, of: attestationText }] : []),
  ])
}

function attestationText({ attested }: DemoRow): string {
  if (attested === null) return '–'
  return attested.fault ?? `${attested.uid.slice(0, 10)}…${attested.uid.slice(-4)}`
}

function attestedLines({ api, chain, rows }: DemoResult): string[] {
  if (api !== 'wallet-session' || chain === null) return []
  const proven = rows.filter(({ attested }) => attested?.fault === null).length
  return [
    `${proven} of ${rows.length} scores carry an off-chain attestation of the attester's wallet that was verified again.`,
    `Stake and roles were read from the contract ${chain.stakeContract} on the sandbox's chain ${chain.chainId}.`,
  ]
}

function summary(result: DemoResult): string {
  const { ok, rows, daemonExit, startMs, wallMs, logFile } = result
  const once = rows.filter(({ accepted }) => accepted === 1).length
  const twice = rows.filter(({ accepted }) => accepted > 1).length
  const times = rows.flatMap(({ openToAcceptedMs }) => openToAcceptedMs ?? []).sort((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)]
  const flagged = (made: DemoRow['made']) => {
    const all = rows.filter((row) => row.made === made)
    return `${all.filter(({ risk }) => (risk ?? 0) >= 0.5).length} of ${all.length}`
  }
  const lines = [
    `${once} of ${rows.length} assets have exactly one accepted score${twice > 0 ? `, ${twice} have more` : ''}.`,
    ...attestedLines(result),
    `Risk 50 or more: ${flagged('machine')} machine-made, ${flagged('real')} real. A handful of samples is no benchmark; the detector's card has its measured figures.`,
    `Daemon ready after ${(startMs / 1000).toFixed(1)} s, median open→accepted ${((median ?? 0) / 1000).toFixed(2)} s, total ${(wallMs / 1000).toFixed(1)} s; the daemon's exit code was ${daemonExit}.`,
  ]
  if (logFile) lines.push(`The daemon's log: ${logFile}`)
  return `${lines.join('\n')}\n${ok ? 'Demo passed.' : 'Demo FAILED.'}`
}

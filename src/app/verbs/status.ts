import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { shareText } from '../../detect/scoring/to-detection.js'
import { verbState } from '../../fleet/daemon-state.js'
import type { FleetState } from '../../fleet/fleet-state.js'
import { readControlFile } from '../../observe/control-file.js'
import { checkSign } from '../../observe/health.js'
import { selectionText } from '../rollout/detector-selection.js'
import { unlistedLines } from '../rollout/unlisted-detectors.js'
import { callDaemon } from '../running-daemon.js'

const statusReply = verbState.loose().extend({
  readiness: z.object({
    ready: z.boolean(),
    checks: z.array(
      z.object({
        name: z.string(),
        ok: z.boolean(),
        message: z.string(),
        reason: z.string().optional(),
        fix: z.string().optional(),
      }),
    ),
  }),
})

/** `lines` are for people; `fleet` is null while the queue does not answer; `raw` is the daemon's whole answer, with fields that this version does not know. */
export interface Status {
  readonly ready: boolean
  readonly lines: readonly string[]
  readonly fleet: FleetState | null
  readonly raw: unknown
}

/** Asks the daemon that runs on this data directory. @throws AttestdError daemon-not-running where none does */
export async function readStatus(dataDir: string): Promise<Status> {
  const control = await readControlFile(dataDir)
  if (!control) throw new AttestdError('daemon-not-running', `No daemon runs on ${dataDir}.`)
  const status = await callDaemon(control, { method: 'GET', path: '/status', answer: statusReply })
  const { checks, ready } = status.readiness
  const width = Math.max(8, ...status.queues.map(({ name }) => name.length))
  const lines = [
    `attestd ${status.version}, process ${control.pid}, ${status.roles.join(' + ')} for ${status.service}`,
    `console ${control.url}, ${status.queueEngine} queue${status.draining ? ', stopping' : ''}`,
    ...status.queues.map(
      ({ name, paused, waiting, active, delayed, failed }) =>
        `${name.padEnd(width)} ${waiting} waiting, ${active} active, ${delayed} delayed, ${failed} failed${paused ? ', paused' : ''}`,
    ),
    ...(status.selection ? [selectionText(status.selection)] : []),
    ...unlistedLines(status.detectors),
    ...(status.selection ? [shareText(status.expectedShare)] : []),
    ...checks.flatMap((check, nth) => {
      const { name, message, reason, fix } = check
      const isRepeated = checks.slice(0, nth).some((earlier) => earlier.fix === fix)
      return [
        `${checkSign(check)} ${name.padEnd(10)} ${message}${reason ? `  [${reason}]` : ''}`,
        ...(fix && !isRepeated ? [`  fix        ${fix}`] : []),
      ]
    }),
    ready ? 'ready' : 'not ready',
  ]
  return { ready, lines, fleet: status.fleet, raw: status }
}

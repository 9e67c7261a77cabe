import { z } from 'zod'
import type { DaemonUnderTest } from './daemon-under-test.js'

const readiness = z.object({
  ready: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), reason: z.string().optional() })),
})

/** Whether console, `/status`, `/readyz`, metrics and log all name this reason for this check. */
export async function tellsTheSame(daemon: DaemonUnderTest, check: string, reason: string): Promise<boolean> {
  const [page, status, probe] = await Promise.all(['/', '/status', '/readyz'].map((path) => daemon.get(path)))
  const named = (value: unknown) =>
    readiness.parse(value).checks.some((one) => one.name === check && !one.ok && one.reason === reason)
  return (
    page!.text.includes(`✗ ${check}</span>`) &&
    page!.text.includes(`<code class="fix">${reason}</code>`) &&
    page!.text.includes('<title>attestd: not ready</title>') &&
    named(JSON.parse(status!.text).readiness) &&
    probe!.status === 503 &&
    named(JSON.parse(probe!.text)) &&
    (await daemon.metric('attestd_ready', `check="${check}"`)) === 0 &&
    (await daemon.metric('attestd_not_ready', `check="${check}"`, `reason="${reason}"`)) === 1 &&
    daemon.log.some((line) => line.msg === 'readiness check failed' && line.check === check && line.reason === reason)
  )
}

import { describe, expect, it } from 'vitest'
import { reloadDetectors } from '../../../src/app/daemon/reload-detectors.js'
import { AttestdError } from '../../../src/core/errors.js'
import { silentLog } from '../../../src/core/log.js'
import type { MediaType } from '../../../src/core/media-types.js'
import { KeptLog } from '../../support/kept-log.js'
import { metricLines, newMetrics } from '../../support/metric-lines.js'

describe('a reload of detectors', () => {
  /** A host whose detectors score some media before and others afterwards. */
  function newHost(before: MediaType[], after: MediaType[] | Error) {
    const state = { scored: before }
    const host = {
      detectorFor: (type: MediaType) => (state.scored.includes(type) ? {} : null),
      reload: async () => {
        if (after instanceof Error) throw after
        state.scored = after
      },
    }
    return host as unknown as Parameters<typeof reloadDetectors>[0]
  }
  const exported = (metrics: ReturnType<typeof newMetrics>) =>
    metricLines(metrics, /^attestd_detector_reloads_total\{.*[1-9]$/)

  it('updates the roles, and names the kinds of media without a detector', async () => {
    const metrics = newMetrics()
    let retried = 0
    const host = newHost(['image', 'audio', 'text'], ['image', 'video_short'])
    const log = new KeptLog()
    const roles = { detectorsChanged: () => void retried++ }
    expect(await reloadDetectors(host, roles, { log, metrics })).toEqual({ lost: ['audio', 'text'] })
    expect(log.lines).toMatchObject([{ level: 'warn', reason: 'detector-none', mediaTypes: ['audio', 'text'] }])
    const same = newHost(['image'], ['image'])
    expect(await reloadDetectors(same, { detectorsChanged: () => {} }, { log, metrics })).toEqual({ lost: [] })
    expect(log.lines).toHaveLength(1)
    expect(retried).toBe(1)
    expect(await exported(metrics)).toEqual(['attestd_detector_reloads_total{outcome="done"} 2'])
  })

  it('that fails retries nothing, and is counted by its reason', async () => {
    const metrics = newMetrics()
    let retried = 0
    const host = newHost(['image'], new AttestdError('manifest-invalid', 'x'))
    const running = reloadDetectors(host, { detectorsChanged: () => void retried++ }, { log: silentLog, metrics })
    await expect(running).rejects.toMatchObject({ reason: 'manifest-invalid' })
    expect(retried).toBe(0)
    expect(await exported(metrics)).toEqual(['attestd_detector_reloads_total{outcome="manifest-invalid"} 1'])
  })
})

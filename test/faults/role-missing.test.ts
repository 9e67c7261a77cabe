import fs from 'node:fs/promises'
import path from 'node:path'
import { generatePrivateKey } from 'viem/accounts'
import { expect, it } from 'vitest'
import { type FaultRun, onWalletSession, startRun } from '../support/fault-run.js'

const ASSETS = 3
/** EX_CONFIG: a person must change something. */
const CONFIG_EXIT = 78
/** The only session request must not time out on a busy machine. */
const PATIENT = { ATTESTD_SERVICE_TIMEOUT_MS: '30000' }

const sessions = ({ bench }: FaultRun) => bench.requests('session')

onWalletSession('a wallet that is no attester', () => {
  it('of every kind ends the daemon readably, without retries', async () => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const file = path.join(bench.folder, 'stranger-key')
    await fs.writeFile(file, generatePrivateKey(), { mode: 0o600 })
    await bench.registerMany(ASSETS, 'stranger')
    const daemon = run.start('daemon-0', { ...PATIENT, ATTESTD_WALLET_KEY_FILE: file })
    expect(await daemon.exited).toBe(CONFIG_EXIT)
    expect(daemon.output).toContain('role-missing')
    expect(daemon.output).toMatch(/Register the wallet as an attester/)
    expect(sessions(run)).toBe(1)
    expect(bench.sandbox.world.scores.attempts()).toEqual([])
  })

  it('lost during its session: scores wait, and resume when it is back', async () => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const { control, wallets, world } = bench.sandbox
    const wallet = wallets.attester.address
    const daemon = await run.startHere('daemon-0', PATIENT).ready()
    control.setRoles({ wallet, attester: false })
    await bench.until('not ready', async () => (await daemon.get('/readyz')).text.includes('role-missing'))
    await bench.registerMany(ASSETS, 'withdrawn')
    await bench.until('verdicts', async () => (await daemon.metric('attestd_risk_percent_count')) >= ASSETS)
    expect(world.scores.attempts()).toEqual([])
    control.setRoles({ wallet, attester: true })
    await bench.expectExactlyOneEach()
    expect(daemon.running, daemon.output).toBe(true)
    expect(sessions(run)).toBe(1)
  })

  it('by the service only, at a renewal: the daemon pauses while the stake contract has it, and resumes', async () => {
    const run = await startRun('embedded', { api: 'wallet-session', sessionMs: 3_000 })
    const { bench } = run
    const daemon = await run.startHere().ready()
    bench.sandbox.world.faults.setPlan({ rules: [{ route: 'session', fault: 'status-403', untilAttempt: 4 }] })
    await bench.until('a rest', async () => (await daemon.get('/readyz')).text.includes('service-forbidden'))
    const { text } = await daemon.get('/readyz')
    expect(text).toContain('Check role and stake of the wallet in the stake contract')
    expect(text).not.toContain('key in the dashboard')
    await bench.registerMany(ASSETS, 'denied')
    await bench.expectExactlyOneEach()
    expect(daemon.running, daemon.output).toBe(true)
    expect(daemon.output).toContain('The stake contract lists the wallet with its role')
  })

  it('lost at the end of its session: the daemon stops readably', async () => {
    const run = await startRun('embedded', { api: 'wallet-session', sessionMs: 3_000 })
    const { bench } = run
    const daemon = await run.startHere().ready()
    bench.sandbox.control.setRoles({ wallet: bench.sandbox.wallets.attester.address, attester: false })
    expect(await daemon.exited).toBe(CONFIG_EXIT)
    expect(daemon.output).toContain('role-missing')
  })
})

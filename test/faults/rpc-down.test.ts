import { expect, it, onTestFinished } from 'vitest'
import { RPC_PATH } from '../../src/sandbox/chain/rpc-route.js'
import type { DaemonHere } from '../support/daemon-here.js'
import { type FaultRun, onWalletSession, startRun } from '../support/fault-run.js'
import { startSandbox } from '../support/sandbox.js'
import { breaking, WireRecorder } from '../support/wire-recorder.js'

const ASSETS = 3
const OTHER_CHAIN = 31_337

/** The daemon's own way to the chain, which can be cut while the service still has its one. */
const rpcOf = ({ bench }: FaultRun) => WireRecorder.forTest(bench.sandbox.url)

/** An endpoint that serves another chain at first. */
async function wrongRpc(): Promise<WireRecorder> {
  const other = await startSandbox({ chainId: OTHER_CHAIN })
  onTestFinished(() => other.close())
  return WireRecorder.forTest(other.url)
}

const verdicts = async (daemon: DaemonHere) => (await daemon.metric('attestd_risk_percent_count')) >= ASSETS

onWalletSession('an RPC endpoint that is down, or of another chain', () => {
  it.each(['rpc-unreachable', 'rpc-wrong-chain'])(
    'at the start, %s: nothing is submitted before the stake was read',
    async (reason) => {
      const run = await startRun('embedded', { api: 'wallet-session' })
      const { bench } = run
      const rpc = reason === 'rpc-wrong-chain' ? await wrongRpc() : await rpcOf(run)
      if (reason === 'rpc-unreachable') rpc.stand = breaking
      await bench.registerMany(ASSETS, 'start')
      const daemon = run.startHere('daemon-0', { ATTESTD_RPC_URLS: `${rpc.url}${RPC_PATH}` })
      await bench.until('its name in the log', () => daemon.output.includes(reason))
      await bench.until('verdicts', () => verdicts(daemon))
      const { text, status } = await daemon.get('/readyz')
      expect([status, text]).toEqual([503, expect.stringContaining('stake-unknown')])
      expect(bench.sandbox.world.scores.attempts()).toEqual([])
      rpc.stand = null
      rpc.passTo(bench.sandbox.url)
      await bench.expectExactlyOneEach()
      expect(daemon.running, daemon.output).toBe(true)
    },
  )

  it('of another chain is skipped for the next one of the list', async () => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const rpc = await wrongRpc()
    await bench.registerMany(ASSETS, 'next')
    const daemon = run.startHere('daemon-0', {
      ATTESTD_RPC_URLS: `${rpc.url}${RPC_PATH},${bench.sandbox.chain.rpcUrl}`,
    })
    await bench.expectExactlyOneEach()
    expect(rpc.requests.length).toBeGreaterThan(0)
    expect(await daemon.metric('attestd_rpc_requests_total', 'outcome="rpc-wrong-chain"')).toBeGreaterThan(0)
    expect(await daemon.metric('attestd_rpc_requests_total', 'outcome="ok"')).toBeGreaterThan(0)
  })

  it('in the middle: a dead RPC is not "no stake", and submission continues', async () => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const rpc = await rpcOf(run)
    const daemon = await run.startHere('daemon-0', { ATTESTD_RPC_URLS: `${rpc.url}${RPC_PATH}` }).ready()
    rpc.stand = breaking
    await bench.until('its name in the log', () => daemon.output.includes('rpc-unreachable'))
    await bench.registerMany(ASSETS, 'middle')
    await bench.expectExactlyOneEach()
    expect((await daemon.get('/readyz')).status).toBe(200)
    rpc.stand = null
    await bench.until('a new reading', () => daemon.output.includes('the stake contract was read again'))
  })

  it('while the service rejects scores: they wait, and the stale stake is not ready', async () => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const { world } = bench.sandbox
    const rpc = await rpcOf(run)
    const daemon = await run.startHere('daemon-0', { ATTESTD_RPC_URLS: `${rpc.url}${RPC_PATH}` }).ready()
    rpc.stand = breaking
    await bench.until('its name in the log', () => daemon.output.includes('rpc-unreachable'))
    world.faults.setPlan({ rules: [{ route: 'score', fault: 'status-403' }] })
    await bench.registerMany(ASSETS, 'refused')
    await bench.until('not ready', async () => (await daemon.get('/readyz')).text.includes('refused a score'))
    expect((await daemon.get('/readyz')).status).toBe(503)
    await bench.until('verdicts', () => verdicts(daemon))
    const sent = world.scores.attempts().length
    const lists = bench.requests('list')
    await bench.until('more lists', () => bench.requests('list') > lists + 10)
    // What was on its way when the gate closed, and nothing after.
    expect(world.scores.attempts()).toHaveLength(sent)
    expect(sent).toBeLessThanOrEqual(ASSETS)
    expect(await daemon.failedJobs()).toEqual([])
    world.faults.setPlan({})
    rpc.stand = null
    await bench.expectExactlyOneEach()
  })

  it("the service's own, at the start and in the middle: scores wait, and each arrives once", async () => {
    const run = await startRun('embedded', { api: 'wallet-session', sessionMs: 4_000 })
    const { bench } = run
    const { world } = bench.sandbox
    world.registry.stop()
    await bench.registerMany(ASSETS, 'service')
    const daemon = run.startHere()
    await bench.until('its answer in the log', () => daemon.output.includes('service-failing'))
    expect(world.scores.attempts()).toEqual([])
    world.registry.start()
    await bench.allScored()
    world.registry.stop()
    await bench.registerMany(ASSETS, 'service')
    await bench.until('refused sessions', () => sessionsRefused(daemon.output) > 1)
    world.registry.start()
    await bench.expectExactlyOneEach()
    expect(daemon.running, daemon.output).toBe(true)
  })
})

const sessionsRefused = (output: string) => output.split('a session could not be opened').length - 1

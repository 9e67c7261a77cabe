import { expect, it, type TestContext } from 'vitest'
import { RPC_PATH } from '../../src/sandbox/chain/rpc-route.js'
import { onWalletSession, startRun } from '../support/fault-run.js'
import { startSandbox } from '../support/sandbox.js'
import { WireRecorder } from '../support/wire-recorder.js'

const ASSETS = 3
const OTHER_CHAIN = 31_337

/** An RPC endpoint that serves another chain at first. */
async function wrongRpc(context: TestContext): Promise<WireRecorder> {
  const other = await startSandbox({ chainId: OTHER_CHAIN })
  context.onTestFinished(() => other.close())
  return WireRecorder.forTest(other.url, context)
}

onWalletSession('an RPC endpoint of another chain', () => {
  it('is named and not used; work continues once it is the right one', async (context) => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const rpc = await wrongRpc(context)
    await bench.registerMany(ASSETS, 'chain')
    const daemon = run.startHere('daemon-0', { ATTESTD_RPC_URLS: `${rpc.url}${RPC_PATH}` })
    await bench.until('its name in the log', () => daemon.output.includes('rpc-wrong-chain'))
    await bench.until('a verdict that waits', async () => (await waiting(daemon)) > 0)
    const { text, status } = await daemon.get('/readyz')
    expect(status).toBe(503)
    expect(text).toContain('stake-unknown')
    expect(bench.sandbox.world.scores.attempts()).toEqual([])
    rpc.passTo(bench.sandbox.url)
    await bench.expectExactlyOneEach()
    expect(daemon.running, daemon.output).toBe(true)
  })

  it('is skipped for the next one of the list', async (context) => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const rpc = await wrongRpc(context)
    await bench.registerMany(ASSETS, 'next')
    const daemon = run.startHere('daemon-0', {
      ATTESTD_RPC_URLS: `${rpc.url}${RPC_PATH},${bench.sandbox.chain.rpcUrl}`,
    })
    await bench.expectExactlyOneEach()
    expect(rpc.requests.length).toBeGreaterThan(0)
    expect(await daemon.metric('attestd_rpc_requests_total', 'outcome="rpc-wrong-chain"')).toBeGreaterThan(0)
    expect(await daemon.metric('attestd_rpc_requests_total', 'outcome="ok"')).toBeGreaterThan(0)
  })
})

async function waiting(daemon: {
  queues(): Promise<{ name: string; waiting: number; delayed: number; active: number }[]>
}) {
  const queues = await daemon.queues().catch(() => [])
  return queues
    .filter(({ name }) => name === 'submit')
    .reduce((sum, one) => sum + one.waiting + one.delayed + one.active, 0)
}

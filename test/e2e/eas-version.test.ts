import { encodeAbiParameters, toFunctionSelector } from 'viem'
import { expect, it } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'
import { type Stand, WireRecorder } from '../support/wire-recorder.js'

const EAS_CONTRACT = '0x4200000000000000000000000000000000000021'
const VERSION_CALL = toFunctionSelector('version()')
/** EX_CONFIG: a person must change something. */
const CONFIG_EXIT = 78

/** Adds an EAS contract of this version to a chain that has none. */
function easOf(version: string): Stand {
  return ({ body, method }, response) => {
    if (method !== 'POST') return false
    const { id, method: asked, params } = JSON.parse(body)
    const isCode = asked === 'eth_getCode' && params[0].toLowerCase() === EAS_CONTRACT
    const isVersion = asked === 'eth_call' && params[0].data === VERSION_CALL
    if (!isCode && !isVersion) return false
    const result = isCode ? '0x6001' : encodeAbiParameters([{ type: 'string' }], [version])
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    return true
  }
}

it.each([
  ['1.0.1', {}],
  ['1.2.0', { ATTESTD_EAS_DOMAIN_VERSION: '1.0.1' }],
])(
  'an EAS contract of version %s with the settings %j ends the daemon before anything is signed',
  async (version, own) => {
    const bench = await benchOfTest({ api: 'wallet-session' })
    await bench.registerMany(1, 'eas')
    const rpc = await WireRecorder.forTest(bench.sandbox.url)
    rpc.stand = easOf(version)
    const url = bench.env().ATTESTD_RPC_URLS!.replace(bench.sandbox.url, rpc.url)
    const daemon = bench.startHere({ ATTESTD_RPC_URLS: url, ...own })
    expect(await daemon.exited).toBe(CONFIG_EXIT)
    expect(daemon.output).toContain(`set ATTESTD_EAS_DOMAIN_VERSION=${version}`)
    expect(bench.sandbox.world.scores.attempts()).toEqual([])
  },
)

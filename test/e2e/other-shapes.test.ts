import { expect, it } from 'vitest'
import type { WalletSessionShapes } from '../../src/sandbox/wallet-session/shapes.js'
import { benchOfTest } from '../support/bench-of-test.js'

const LOOKS_AFTER = 4

type Fields = Readonly<Record<string, unknown>>

/** The fields that the document names, and no others but an id. */
function recordOf(asset: Fields): Fields {
  const { id, contentHash, contributorAttestationUid, ownerAddress, title, uri, verificationDeadline } = asset
  const stated = { contentHash, contributorAttestationUid, ownerAddress, title, uri, verificationDeadline }
  return { assetId: id, ...stated, mediaContext: '', status: asset.status }
}

/** Routes whose reply was given another shape. */
const spoken = new Set<string>()
const noted = (replies: NonNullable<WalletSessionShapes['replies']>) =>
  Object.fromEntries(
    Object.entries(replies).map(([route, reshape]) => [
      route,
      (reply: Fields) => {
        spoken.add(route)
        return reshape(reply)
      },
    ]),
  )

/** Where the document shows no shape, other shapes than the sandbox's. */
const SHAPES: WalletSessionShapes = {
  replies: noted({
    'GET /v1/auth/challenge': ({ expiresAt, ...others }) => ({ ...others, expiresAt: Number(expiresAt) * 1000 }),
    'GET /v1/chain/latest': ({ number, timestamp }) => ({
      blockNumber: `0x${Number(number).toString(16)}`,
      blockTimestamp: String(timestamp),
    }),
    'GET /v1/assets/open': ({ assets }) => (assets as Fields[]).map(recordOf),
    'GET /v1/assets/:id': ({ asset, scores }) => ({
      ...recordOf(asset as Fields),
      scores: (scores as Fields[]).map(({ attesterAddress, deepfakeRiskBps }) => ({
        verifier: attesterAddress,
        deepfakeRiskBps,
      })),
      aggregate: {},
    }),
    'POST /v1/assets/:id/scores': () => ({ ok: true }),
  }),
  event: (assets) => assets.map((asset) => recordOf(asset as unknown as Fields)),
  challenge: (text) => {
    const [, wallet] = /(0x[0-9a-fA-F]{40})/.exec(text)!
    const [, nonce] = /Nonce: (\S+)/.exec(text)!
    return `Sign this message to log in.\n\nWallet: ${wallet}\nNonce: ${nonce}`
  },
}

it('a wallet-session service with its own shapes where none is shown gets one score, in one session', async () => {
  const bench = await benchOfTest({ api: 'wallet-session', shapes: SHAPES })
  await bench.register('shapes')
  const daemon = bench.startHere()
  await bench.allScored()
  await bench.quiet()
  const lists = bench.requests('list')
  await bench.until('more lists', () => bench.requests('list') > lists + LOOKS_AFTER)
  await bench.expectExactlyOneEach()
  expect(bench.requests('session')).toBe(1)
  expect(spoken).toEqual(new Set(Object.keys(SHAPES.replies ?? {})))
  expect(await daemon.drain()).toBe(0)
})

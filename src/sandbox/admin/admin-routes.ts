import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { keyKindSchema, weiSchema } from '../../service/signed-key/schemas.js'
import { addressSchema } from '../../service/wire-fields.js'
import { assetView, scoreView } from '../asset-view.js'
import { type ApiKey, maskedKey } from '../books/key-ring.js'
import { FaultPlanSchema } from '../faults/faults.js'
import { Refusal } from '../http/refusal.js'
import { requireLoopback } from '../http/require-loopback.js'
import { refusals, WireMediaAsset } from '../http/wire.js'
import { registryText } from '../registry/registry-text.js'
import { chainAccessOf } from '../registry/rpc-route.js'
import { createdKeyView, revoked } from '../signed-key/key-routes.js'
import { chainUnavailable } from '../wallet-session/registry-refusal.js'
import type { World } from '../world.js'
import type { SandboxControl } from './sandbox-control.js'

const Done = z.looseObject({ ok: z.literal(true) })
const done = { ok: true as const }

const ClockBody = z.strictObject({ offsetMs: z.int().meta({ description: 'Service time minus local time.' }) })
const StakeBody = z.strictObject({
  wallet: addressSchema.optional().meta({ description: 'Default: the attester wallet of the development account.' }),
  stakedWei: weiSchema.optional(),
  minStakeWei: weiSchema.optional(),
})
const RolesBody = z.strictObject({
  wallet: addressSchema,
  attester: z.boolean().optional().meta({ description: 'Absent: as it is.' }),
  submitter: z.boolean().optional().meta({ description: 'Absent: as it is.' }),
})
const KeyBody = z.strictObject({
  kind: keyKindSchema,
  label: z.string().max(200).optional(),
  wallet: addressSchema.nullish().meta({ description: 'Absent: a new wallet. null: none is linked.' }),
})
const Plain = z.looseObject({})
const IdParams = z.object({ id: z.string() })

type App = Parameters<FastifyPluginAsyncZod>[0]

/** Switches and views under /sandbox, for this machine only. */
export function adminRoutes(world: World, control: SandboxControl): FastifyPluginAsyncZod {
  return async (app) => {
    app.addHook('onRequest', async (request) => requireLoopback(request))
    faultRoutes(app, control)
    clockAndStakeRoutes(app, world, control)
    chainRoutes(app, world, control)
    assetRoutes(app, world, control)
    scoreRoutes(app, world)
    keyAdminRoutes(app, world, control)
    processRoutes(app, world, control)
  }
}

function schema<Reply extends z.ZodType>(summary: string, reply: Reply) {
  return { tags: ['sandbox'], summary, response: { 200: reply, ...refusals(400, 403, 404, 503) } }
}

function faultRoutes(app: App, control: SandboxControl): void {
  app.get(
    '/sandbox/faults',
    { schema: schema('The plan in force, and the faults injected so far', Plain) },
    async () => ({ plan: control.faults, injected: control.injectedFaults() }),
  )
  app.put(
    '/sandbox/faults',
    { schema: { ...schema('Replace the plan', Done), body: FaultPlanSchema } },
    async (request) => {
      control.setFaults(request.body)
      return done
    },
  )
  app.delete('/sandbox/faults', { schema: schema('Remove all faults', Done) }, async () => {
    control.setFaults({})
    return done
  })
}

function clockAndStakeRoutes(app: App, world: World, control: SandboxControl): void {
  app.put('/sandbox/clock', { schema: { ...schema('Skew service time', Done), body: ClockBody } }, async (request) => {
    control.setClockOffset(request.body.offsetMs)
    return done
  })
  app.put(
    '/sandbox/stake',
    { schema: { ...schema('Set the stake of a wallet, or the minimum of all', Done), body: StakeBody } },
    async (request) => {
      const { wallet, stakedWei, minStakeWei } = request.body
      const change = { wallet, stakedWei: weiOf(stakedWei), minStakeWei: weiOf(minStakeWei) }
      return onChain(world, control.setStake(change))
    },
  )
}

function weiOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text)
}

function chainRoutes(app: App, world: World, control: SandboxControl): void {
  app.put(
    '/sandbox/roles',
    { schema: { ...schema('Set the roles of a wallet in the stake contract', Done), body: RolesBody } },
    async (request) => onChain(world, control.setRoles(request.body)),
  )
  app.post(
    '/sandbox/chain/stop',
    { schema: schema('The chain of the stake contract stops answering', Done) },
    async () => onChain(world, control.chain?.stop()),
  )
  app.post(
    '/sandbox/chain/start',
    { schema: schema('The chain answers again, at the same URL and with the same contract', Done) },
    async () => onChain(world, control.chain?.start()),
  )
}

function assetRoutes(app: App, world: World, control: SandboxControl): void {
  const reply = z.looseObject({ assets: z.array(WireMediaAsset) })
  app.get('/sandbox/assets', { schema: schema('All assets, open and closed', reply) }, async () => ({
    assets: control.assets().map((asset) => assetView(world, asset)),
  }))
  app.post(
    '/sandbox/assets/:id/close',
    { schema: { ...schema('Close an asset', Done), params: IdParams } },
    async (request) => known(control.closeAsset(request.params.id)),
  )
  app.post(
    '/sandbox/assets/:id/open',
    { schema: { ...schema('Open an asset again, if its deadline allows', Done), params: IdParams } },
    async (request) => known(control.openAsset(request.params.id)),
  )
}

function scoreRoutes(app: App, world: World): void {
  app.get(
    '/sandbox/scores',
    { schema: schema('Scores on record, and every attempt with what became of it', Plain) },
    async () => ({
      scores: world.scores.all().map((score) => ({ ...scoreView(score), attestation: score.attestation ?? null })),
      attempts: world.scores
        .attempts()
        .map((entry) => ({ ...entry, accessKey: entry.accessKey === null ? null : maskedKey(entry.accessKey) })),
    }),
  )
}

function keyAdminRoutes(app: App, world: World, control: SandboxControl): void {
  app.get('/sandbox/keys', { schema: schema('Keys, without their secrets', Plain) }, async () => ({
    keys: control.keys().map(keyView),
  }))
  app.post(
    '/sandbox/keys',
    { schema: { ...schema('Create a key for any wallet', Plain), body: KeyBody } },
    async (request) => createdKeyView(control.createKey(request.body)),
  )
  app.delete('/sandbox/keys/:id', { schema: { ...schema('Revoke a key', Plain), params: IdParams } }, async (request) =>
    revoked(world, request.params.id),
  )
}

function processRoutes(app: App, world: World, control: SandboxControl): void {
  app.get('/sandbox/state', { schema: schema('What the sandbox holds', Plain) }, async (request) => ({
    serviceTime: world.time.now(),
    clockOffsetMs: control.clockOffsetMs,
    assets: control.assets().length,
    openAssets: world.assets.open().length,
    scores: control.scores().length,
    openStreams: control.openStreams,
    chain: {
      ...chainAccessOf({ registry: world.registry, url: `http://${request.host}` }),
      says: registryText(world.registry),
    },
    authDisabled: world.walletSession.authDisabled,
    account: { attesterWallet: world.account.attesterWallet, submitterWallet: world.account.submitterWallet },
  }))
  app.get('/sandbox/requests', { schema: schema('How often each route and key was asked for', Plain) }, async () => ({
    requests: control.requestCounts(),
  }))
  app.post('/sandbox/streams/cut', { schema: schema('Destroy every open stream', Plain) }, async () => ({
    cut: control.cutStreams(),
  }))
  app.post('/sandbox/reset', { schema: schema('Back to the start; keys and media stay', Done) }, async () => {
    return onChain(world, control.reset())
  })
}

/** The books have changed already; 503 where the contract could not be written. */
async function onChain(world: World, written: Promise<void> | undefined): Promise<typeof done> {
  try {
    await written
  } catch (error) {
    throw chainUnavailable(world, error)
  }
  return done
}

function known(found: boolean): typeof done {
  if (!found) throw new Refusal('asset-unknown', 'No asset has this id.')
  return done
}

function keyView({ id, kind, label, accessKey, wallet, createdAt, revokedAt }: ApiKey) {
  return { id, kind, label, accessKey, wallet, createdAt, revokedAt }
}

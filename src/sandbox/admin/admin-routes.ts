import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { keyKindSchema, weiSchema } from '../../service/signed-key/schemas.js'
import { addressSchema } from '../../service/wire-fields.js'
import { assetView, scoreView } from '../asset-view.js'
import { type ApiKey, maskedKey } from '../books/key-ring.js'
import { chainAccessOf } from '../chain/rpc-route.js'
import { FaultPlanSchema } from '../faults/faults.js'
import { Refusal } from '../http/refusal.js'
import { requireLoopback } from '../http/require-loopback.js'
import { AssetParams, refusals, WireMediaAsset } from '../http/wire.js'
import { createdKeyView, revoked } from '../signed-key/key-routes.js'
import type { World } from '../world.js'
import type { SandboxControl } from './sandbox-control.js'

const Done = z.looseObject({ ok: z.literal(true) })
const done = { ok: true as const }

const ClockBody = z.strictObject({ offsetMs: z.int().meta({ description: 'Service time minus local time.' }) })
const StakeBody = z.strictObject({
  wallet: addressSchema.optional().meta({ description: 'Default: the attester wallet of the development account.' }),
  stakedWei: weiSchema.transform(BigInt).optional(),
  minStakeWei: weiSchema.transform(BigInt).optional(),
})
const Role = z.boolean().optional().meta({ description: 'Absent: as it is.' })
const RolesBody = z.strictObject({ wallet: addressSchema, attester: Role, submitter: Role })
const KeyBody = z.strictObject({
  kind: keyKindSchema,
  label: z.string().max(200).optional(),
  wallet: addressSchema.nullish().meta({ description: 'Absent: a new wallet. null: none is linked.' }),
})
const AssetsReply = z.looseObject({ assets: z.array(WireMediaAsset) })
const Plain = z.looseObject({})

type App = Parameters<FastifyPluginAsyncZod>[0]

/** Switches and views under /sandbox, for this machine only. */
export function adminRoutes(world: World, control: SandboxControl): FastifyPluginAsyncZod {
  return async (app) => {
    app.addHook('onRequest', async (request) => requireLoopback(request))
    switches(app, control)
    chainRoutes(app, control)
    assetRoutes(app, world, control)
    keyRoutes(app, world, control)
    views(app, world, control)
  }
}

function described<Reply extends z.ZodType>(summary: string, reply: Reply) {
  return { tags: ['sandbox'], summary, response: { 200: reply, ...refusals(400, 403, 404) } }
}

/** Runs a switch. */
function doing(work: () => unknown): typeof done {
  work()
  return done
}

function switches(app: App, control: SandboxControl): void {
  app.get(
    '/sandbox/faults',
    { schema: described('The plan in force, and the faults injected so far', Plain) },
    async () => ({ plan: control.faults, injected: control.injectedFaults() }),
  )
  app.put(
    '/sandbox/faults',
    { schema: { ...described('Replace the plan', Done), body: FaultPlanSchema } },
    async (request) => doing(() => control.setFaults(request.body)),
  )
  app.delete('/sandbox/faults', { schema: described('Remove all faults', Done) }, async () =>
    doing(() => control.setFaults({})),
  )
  app.put('/sandbox/clock', { schema: { ...described('Skew service time', Done), body: ClockBody } }, async (request) =>
    doing(() => control.setClockOffset(request.body.offsetMs)),
  )
  app.post('/sandbox/streams/cut', { schema: described('Destroy every open stream', Plain) }, async () => ({
    cut: control.cutStreams(),
  }))
  app.post('/sandbox/reset', { schema: described('Back to the start; keys and media stay', Done) }, async () =>
    doing(() => control.reset()),
  )
}

function chainRoutes(app: App, control: SandboxControl): void {
  app.put(
    '/sandbox/stake',
    { schema: { ...described('Set the stake of a wallet, or the minimum of all', Done), body: StakeBody } },
    async (request) => doing(() => control.setStake(request.body)),
  )
  app.put(
    '/sandbox/roles',
    { schema: { ...described('Set the roles of a wallet in the stake contract', Done), body: RolesBody } },
    async (request) => doing(() => control.setRoles(request.body)),
  )
  app.post(
    '/sandbox/chain/stop',
    { schema: described('The chain of the stake contract stops answering', Done) },
    async () => doing(() => control.chain.stop()),
  )
  app.post('/sandbox/chain/start', { schema: described('The chain answers again', Done) }, async () =>
    doing(() => control.chain.start()),
  )
}

function assetRoutes(app: App, world: World, control: SandboxControl): void {
  app.get('/sandbox/assets', { schema: described('All assets, open and closed', AssetsReply) }, async () => ({
    assets: control.assets().map((asset) => assetView(world, asset)),
  }))
  app.post(
    '/sandbox/assets/:id/close',
    { schema: { ...described('Close an asset', Done), params: AssetParams } },
    async (request) => known(control.closeAsset(request.params.id)),
  )
  app.post(
    '/sandbox/assets/:id/open',
    { schema: { ...described('Open an asset again, if its deadline allows', Done), params: AssetParams } },
    async (request) => known(control.openAsset(request.params.id)),
  )
}

function keyRoutes(app: App, world: World, control: SandboxControl): void {
  app.get('/sandbox/keys', { schema: described('Keys, without their secrets', Plain) }, async () => ({
    keys: control.keys().map(keyView),
  }))
  app.post(
    '/sandbox/keys',
    { schema: { ...described('Create a key for any wallet', Plain), body: KeyBody } },
    async (request) => createdKeyView(control.createKey(request.body)),
  )
  app.delete(
    '/sandbox/keys/:id',
    { schema: { ...described('Revoke a key', Plain), params: AssetParams } },
    async (request) => revoked(world, request.params.id),
  )
}

function views(app: App, world: World, control: SandboxControl): void {
  app.get(
    '/sandbox/scores',
    { schema: described('Scores on record, and every attempt with what became of it', Plain) },
    async () => ({
      scores: control.scores().map((score) => ({ ...scoreView(score), attestation: score.attestation ?? null })),
      attempts: control
        .scoreAttempts()
        .map((entry) => ({ ...entry, accessKey: entry.accessKey === null ? null : maskedKey(entry.accessKey) })),
    }),
  )
  app.get(
    '/sandbox/requests',
    { schema: described('How often each route and key was asked for', Plain) },
    async () => ({
      requests: control.requestCounts(),
    }),
  )
  app.get('/sandbox/state', { schema: described('What the sandbox holds', Plain) }, async (request) => ({
    serviceTime: world.time.now(),
    clockOffsetMs: control.clockOffsetMs,
    assets: control.assets().length,
    openAssets: world.assets.open().length,
    scores: control.scores().length,
    openStreams: control.openStreams,
    chain: chainAccessOf(world.registry, `http://${request.host}`),
    authDisabled: world.walletSession.authDisabled,
    account: { attesterWallet: world.account.attesterWallet, submitterWallet: world.account.submitterWallet },
  }))
}

function known(found: boolean): typeof done {
  if (!found) throw new Refusal('asset-unknown', 'No asset has this id.')
  return done
}

function keyView({ signingSecret: _, ...key }: ApiKey) {
  return key
}

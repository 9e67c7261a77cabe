import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { assetView, scoreView } from '../asset-view.js'
import { type ApiKey, maskedKey } from '../books/key-ring.js'
import { chainAccessOf } from '../chain/rpc-route.js'
import { FaultPlanSchema } from '../faults/faults.js'
import { Refusal } from '../http/refusal.js'
import { requireLoopback } from '../http/require-loopback.js'
import { AssetParams, refusals, WireMediaAsset } from '../http/wire.js'
import { createdKeyView, revoked } from '../signed-key/key-routes.js'
import type { World } from '../world.js'
import { newKeySchema, roleChangeSchema, type SandboxControl, stakeChangeSchema } from './sandbox-control.js'

const Done = z.looseObject({ ok: z.literal(true) })
const done = { ok: true as const }

const ClockBody = z.strictObject({ offsetMs: z.int().meta({ description: 'Service time minus local time.' }) })
const AssetsReply = z.looseObject({ assets: z.array(WireMediaAsset) })
const Plain = z.looseObject({})

type App = Parameters<FastifyPluginAsyncZod>[0]

/** Switches and views under /sandbox, for this machine only. */
export function adminRoutes(world: World, control: SandboxControl): FastifyPluginAsyncZod {
  return async (app) => {
    app.addHook('onRequest', async (request) => requireLoopback(request))
    switches(app, world, control)
    assetRoutes(app, world)
    keyRoutes(app, world, control)
    views(app, world)
  }
}

function described<Reply extends z.ZodType, More extends object = object>(summary: string, reply: Reply, more?: More) {
  return {
    schema: { tags: ['sandbox'], summary, ...(more as More), response: { 200: reply, ...refusals(400, 403, 404) } },
  }
}

/** Runs a switch. */
function doing(work: () => unknown): typeof done {
  work()
  return done
}

function switches(app: App, { faults, registry }: World, control: SandboxControl): void {
  app.put('/sandbox/faults', described('Replace the plan', Done, { body: FaultPlanSchema }), async ({ body }) =>
    doing(() => faults.setPlan(body)),
  )
  app.delete('/sandbox/faults', described('Remove all faults', Done), async () => doing(() => faults.setPlan({})))
  app.put('/sandbox/clock', described('Skew service time', Done, { body: ClockBody }), async ({ body }) =>
    doing(() => control.setClockOffset(body.offsetMs)),
  )
  const stake = described('Set the stake of a wallet, or the minimum of all', Done, { body: stakeChangeSchema })
  app.put('/sandbox/stake', stake, async ({ body }) => doing(() => control.setStake(body)))
  const roles = described('Set the roles of a wallet in the stake contract', Done, { body: roleChangeSchema })
  app.put('/sandbox/roles', roles, async ({ body }) => doing(() => control.setRoles(body)))
  const stop = described('The chain of the stake contract stops answering', Done)
  app.post('/sandbox/chain/stop', stop, async () => doing(() => registry.stop()))
  const start = described('The chain answers again', Done)
  app.post('/sandbox/chain/start', start, async () => doing(() => registry.start()))
  const cut = described('Destroy every open stream', Plain)
  app.post('/sandbox/streams/cut', cut, async () => ({ cut: control.cutStreams() }))
  const reset = described('Back to the start; keys and media stay', Done)
  app.post('/sandbox/reset', reset, async () => doing(() => control.reset()))
}

function assetRoutes(app: App, world: World): void {
  app.get('/sandbox/assets', described('All assets, open and closed', AssetsReply), async () => ({
    assets: world.assets.all().map((asset) => assetView(world, asset)),
  }))
  const close = described('Close an asset', Done, { params: AssetParams })
  app.post('/sandbox/assets/:id/close', close, async ({ params }) => known(world.assets.switch(params.id, 'closed')))
  const open = described('Open an asset again, if its deadline allows', Done, { params: AssetParams })
  app.post('/sandbox/assets/:id/open', open, async ({ params }) => known(world.assets.switch(params.id, 'open')))
}

function keyRoutes(app: App, world: World, control: SandboxControl): void {
  const list = described('Keys, without their secrets', Plain)
  app.get('/sandbox/keys', list, async () => ({ keys: world.keys.all().map(keyView) }))
  const create = described('Create a key for any wallet', Plain, { body: newKeySchema })
  app.post('/sandbox/keys', create, async ({ body }) => createdKeyView(control.createKey(body)))
  const revoke = described('Revoke a key', Plain, { params: AssetParams })
  app.delete('/sandbox/keys/:id', revoke, async ({ params }) => revoked(world, params.id))
}

function views(app: App, world: World): void {
  app.get('/sandbox/faults', described('The plan in force, and the faults injected so far', Plain), async () => ({
    plan: world.faults.plan,
    injected: world.faults.injected(),
  }))
  app.get(
    '/sandbox/scores',
    described('Scores on record, and every attempt with what became of it', Plain),
    async () => ({
      scores: world.scores.all().map((score) => ({ ...scoreView(score), attestation: score.attestation ?? null })),
      attempts: world.scores
        .attempts()
        .map((entry) => ({ ...entry, accessKey: entry.accessKey === null ? null : maskedKey(entry.accessKey) })),
    }),
  )
  app.get('/sandbox/requests', described('How often each route and key was asked for', Plain), async () => ({
    requests: world.faults.counts(),
  }))
  app.get('/sandbox/state', described('What the sandbox holds', Plain), async ({ host }) => ({
    serviceTime: world.time.now(),
    clockOffsetMs: world.time.offsetMs,
    assets: world.assets.all().length,
    openAssets: world.assets.open().length,
    scores: world.scores.all().length,
    openStreams: world.streams.size,
    chain: chainAccessOf(world.registry, `http://${host}`),
    authDisabled: world.options.disableAuth,
    account: { attesterWallet: world.account.attester, submitterWallet: world.account.submitter },
  }))
}

function known(found: boolean): typeof done {
  if (!found) throw new Refusal('asset-unknown', 'No asset has this id.')
  return done
}

function keyView({ id, kind, label, accessKey, wallet, createdAt, revokedAt }: ApiKey) {
  return { id, kind, label, accessKey, wallet, createdAt, revokedAt }
}

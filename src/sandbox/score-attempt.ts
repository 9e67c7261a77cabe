import type { FastifyRequest } from 'fastify'
import type { RecordResult, ScoreAttempt, ScoreRecord } from './books/score-book.js'
import { byAsset, faultHooks, isHandled } from './faults/fault-hooks.js'
import { Refusal } from './http/refusal.js'
import type { World } from './world.js'

/** What a route of scores knows of an attempt before its handler runs. */
export type Attempted = Pick<ScoreAttempt, 'attesterAddress' | 'accessKey' | 'deepfakeRiskScore'>

/** Options of a route of scores: its faults, counted by asset, and the history of every attempt. */
export function scoreHooks(world: World, attemptedBy: (request: FastifyRequest) => Attempted) {
  return faultHooks(world, 'score', {
    ...byAsset,
    onDecided: (request, attempt, fault) => {
      const { id: assetId } = request.params as { id: string }
      const entry = world.scores.begin({ ...attemptedBy(request), assetId, attempt, fault: fault?.kind ?? null })
      if (fault !== null && !isHandled(fault.kind)) entry.outcome = 'fault'
      request.setDecorator('scoreAttempt', entry)
    },
  })
}

/** Runs the handler of a score, and notes in the history where it refuses. */
export async function attempted<T>(request: FastifyRequest, store: (entry: ScoreAttempt) => Promise<T>): Promise<T> {
  const entry = request.getDecorator<ScoreAttempt>('scoreAttempt')
  try {
    return await store(entry)
  } catch (error) {
    if (entry.outcome === 'pending') entry.outcome = 'refused'
    throw error
  }
}

/** Notes how a score was recorded. Refuses one that conflicts with the score on record. */
export function recorded(entry: ScoreAttempt, { outcome, score }: RecordResult): ScoreRecord {
  entry.outcome = outcome
  if (outcome !== 'conflict') return score
  throw new Refusal('score-conflict', `This wallet's score for the asset is on record as ${score.deepfakeRiskScore}.`)
}

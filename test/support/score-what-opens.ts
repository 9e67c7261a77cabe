import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { sendSigned } from './sandbox-requests.js'

/** Scores every asset that opens, once, as an attester of the signed-key API would. */
export async function scoreWhatOpens({ attesterKey, url, world }: Sandbox): Promise<void> {
  while (world.assets.all().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  for (const { id } of world.assets.all()) {
    const body = JSON.stringify({ deepfakeRiskScore: 12.5, algorithm: 'test@1' })
    await sendSigned(url, attesterKey, { method: 'POST', target: `/api/v1/attester/media/${id}/scores`, body })
  }
}

import type { Settings } from '../../config/settings.js'
import {
  createSignedKeyService,
  type SignedKeyOptions,
  type SignedKeyService,
} from '../../service/signed-key/attester-service.js'
import { serviceOptionsOf } from './service-options.js'

/** A signed-key service by the settings, without the daemon's counting; keys may be absent for public routes. */
export function openSignedKey(settings: Settings, own: Partial<SignedKeyOptions> = {}): SignedKeyService {
  const { accessKey, headerPrefix, signingSecret } = settings
  return createSignedKeyService({ ...serviceOptionsOf(settings), accessKey, signingSecret, headerPrefix, ...own })
}

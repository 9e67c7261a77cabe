import type { EasProfileOptions } from '../../chain/eas/profile.js'

/** What attestations must be made for; where `attestationVersion` is absent, both versions are taken. */
export type EasOptions = Partial<Omit<EasProfileOptions, 'chainId'>>

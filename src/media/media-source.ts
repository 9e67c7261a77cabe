/** Which digest the service means by contentHash. */
export type ContentHashAlgorithm = 'sha256' | 'keccak256'

/** Bytes that are only of use if they have this hash; which digest it is, the settings state. */
export interface FetchRequest {
  /** `ipfs://…` or `https://…` as the asset states it. */
  readonly uri: string
  /** 0x and 64 hex characters. */
  readonly contentHash: string
  /** How often it ended as `media-too-slow`, which lengthens its time at any rate; undefined takes any rate in time. */
  readonly slowBefore?: number
}

/** Verified media in the content-addressed cache. */
export interface FetchedMedia {
  /** Absolute path of a complete, verified, read-only file. Stays in place while `release` was not called. */
  readonly file: string
  readonly bytes: number
  /** Lets the cache evict the file again. Call once. */
  release(): void
}

/** Fetches and verifies what an asset's URI names. Errors are `AttestdError`s: uri-unsupported, address-refused, media-*, content-hash-mismatch. */
export interface MediaSource {
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchedMedia>
  /** The same for a URI that comes without a content hash, as a person types it: an ipfs:// one is still verified by its CID. */
  fetchUnstated(uri: string): Promise<FetchedMedia>
  close(): Promise<void>
}

/** What the stake contract holds of one account at one block. */
export interface StakeReading {
  readonly stakedWei: bigint
  readonly minStakeWei: bigint
  readonly roles: { readonly attester: boolean; readonly submitter: boolean }
  readonly blockNumber: bigint
}

import { describe, expect, it } from 'vitest'
import { type JournalEntry, JournalEntrySchema } from '../../../src/sandbox/storage/journal-entry.js'
import { KeptState } from '../../../src/sandbox/storage/kept-state.js'

const A = `0x${'a'.repeat(40)}` as const
const B = `0x${'b'.repeat(40)}` as const
const KEY = {
  id: 'k',
  kind: 'attester',
  label: '',
  accessKey: 'a',
  signingSecret: 's',
  wallet: null,
  createdAt: 1,
  revokedAt: null,
} as const
const entries = {
  stake: { type: 'stake', wallet: A, stakedWei: '1' },
  roles: { type: 'roles', wallet: A, attester: true, submitter: false },
  minimum: { type: 'minimum', minStakeWei: '2' },
  key: { type: 'key', key: KEY },
  wallet: { type: 'wallet', wallet: A, privateKey: `0x${'1'.repeat(64)}` },
} as const satisfies Record<string, JournalEntry>

function adding(...all: JournalEntry[]): KeptState {
  const kept = new KeptState()
  for (const entry of all) kept.apply(entry)
  return kept
}

describe('what the lines of a journal add up to', () => {
  it('is the last line about each thing, where it first came to be', () => {
    const kept = adding(
      entries.stake,
      entries.minimum,
      { ...entries.stake, wallet: B },
      { ...entries.stake, stakedWei: '9' },
      { ...entries.minimum, minStakeWei: '3' },
    )
    expect(kept.entries()).toEqual([
      { ...entries.stake, stakedWei: '9' },
      { ...entries.minimum, minStakeWei: '3' },
      { ...entries.stake, wallet: B },
    ])
  })

  it('keeps stake, roles and key of one wallet apart', () => {
    const kept = adding(entries.stake, entries.roles, entries.wallet)
    expect(kept.entries()).toHaveLength(3)
    expect(kept.of('roles')).toEqual([entries.roles])
    expect(kept.of('asset')).toEqual([])
  })

  it('loses by a reset all but keys and wallets, and goes on behind it', () => {
    const kept = adding(...Object.values(entries), { type: 'reset' }, { ...entries.stake, stakedWei: '5' })
    expect(kept.entries()).toEqual([entries.key, entries.wallet, { ...entries.stake, stakedWei: '5' }])
  })
})

describe('a line of the journal', () => {
  it.each<[string, object]>([
    ['a wallet in upper case', { ...entries.stake, wallet: A.toUpperCase().replace('0X', '0x') }],
    ['a wallet one digit short', { ...entries.stake, wallet: A.slice(0, -1) }],
    ['a negative amount', { ...entries.minimum, minStakeWei: '-1' }],
    ['an amount of 79 digits', { ...entries.minimum, minStakeWei: '1'.repeat(79) }],
    ['an amount that is a number', { ...entries.minimum, minStakeWei: 2 }],
    ['a field of nobody', { ...entries.stake, note: 'x' }],
    ['half the roles', { type: 'roles', wallet: A, attester: true }],
    ['a key of an unknown kind', { type: 'key', key: { ...KEY, kind: 'owner' } }],
    ['a key without a secret', { type: 'key', key: { ...KEY, signingSecret: '' } }],
    ['a short private key', { ...entries.wallet, privateKey: '0x12' }],
  ])('is refused with %s', (_, entry) => {
    expect(JournalEntrySchema.safeParse(entry).success).toBe(false)
  })

  it('keeps what a later release adds to a key', () => {
    const key = { ...KEY, scope: 'new' }
    expect(JournalEntrySchema.parse({ type: 'key', key })).toEqual({ type: 'key', key })
  })

  it.each(Object.entries(entries))('of type %s is taken', (_, entry) => {
    expect(JournalEntrySchema.safeParse(entry).success).toBe(true)
  })
})

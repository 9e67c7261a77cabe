import { createSiweMessage } from 'viem/siwe'
import { checkChallenge } from '../../../src/service/wallet-session/challenge.js'
import { mutatedBytes } from '../mutate/bytes.js'
import type { Chance } from '../mutate/chance.js'
import type { Target } from '../target.js'
import { judge } from '../verdict.js'

const BOUNDS = { limitMs: 10_000, processorMs: 2000 }
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const NONCE = 'Zx81kkPq02mN'
const NOW = Date.UTC(2026, 5, 1, 12)
const FACTS = { address: ADDRESS, chainId: 84532, domain: 'verify.example', nonce: NONCE, version: '1' } as const
const SEEDS = [
  createSiweMessage({
    ...FACTS,
    uri: 'https://verify.example/login',
    statement: 'Sign in to attest.',
    issuedAt: new Date(NOW),
    expirationTime: new Date(NOW + 300_000),
  }),
  `Welcome to the verification service!\nSign in as ${ADDRESS}\nNonce: ${NONCE}`,
  `attestd-login nonce=${NONCE} address=${ADDRESS} chainId=84532`,
].map((text) => Buffer.from(text))
/** What would make a signature worth something elsewhere, and what patterns may choke on. */
const PIECES: readonly ((chance: Chance) => string)[] = [
  () => ' https://evil.example/ ',
  () => ' evil.example wants you to sign in with your Ethereum account:\n',
  () => '0x1111111111111111111111111111111111111111',
  () => '\nChain ID: 1',
  () => '\nResources:\n- https://evil.example',
  (chance) => 'a.'.repeat(chance.below(2000)),
  (chance) => '-'.repeat(chance.below(2000)),
  (chance) => ' '.repeat(chance.below(4000)),
  (chance) => '[:'.repeat(chance.below(2000)),
  (chance) => 'x:/'.repeat(chance.below(1300)),
  (chance) => chance.pick(['\u202e', '\u200b', '\u0000', '\r', '\u2028', '\ud800', '\ufeff']),
]

/** Sign-in texts, changed, through the check before signing; what it lets pass must hold nothing of another site. */
export const challenges: Target = {
  name: 'challenges',
  counts: 'others',
  async open() {
    return {
      async tryOne(chance) {
        const input = changed(chance)
        const verdict = await judge(() => {
          const challenge = { message: input, nonce: NONCE, expiresAt: (NOW + 300_000) / 1000 }
          const time = { ms: NOW, by: 'the fuzzer' }
          checkChallenge(challenge, {
            origin: new URL('https://verify.example'),
            address: ADDRESS,
            chainId: 84532,
            time,
          })
          if (!input.includes(NONCE) || input.includes('evil.example')) throw new Error('was let pass')
        }, BOUNDS)
        return { input, ending: 'txt', verdicts: [verdict] }
      },
      close: async () => {},
    }
  },
}

function changed(chance: Chance): string {
  const text = chance.happens(0.5)
    ? mutatedBytes(chance.pick(SEEDS), chance, chance.pick(SEEDS)).toString('utf8')
    : chance.pick(SEEDS).toString('utf8')
  if (chance.happens(0.3)) return text
  const at = chance.below(text.length + 1)
  return text.slice(0, at) + chance.pick(PIECES)(chance) + text.slice(at)
}

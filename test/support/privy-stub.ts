import { generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto'
import http from 'node:http'
import { type Hex, numberToHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { endServer, listen, urlOf } from './local-server.js'

/** What the stub does with a signing request instead of answering it well. */
export type PrivyFault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfter?: string
      readonly code?: string
      readonly location?: string
      /** Whether the body repeats the credentials and what should be signed. */
      readonly repeats?: boolean
    }
  /** Answers well, after so many milliseconds. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Answers well, after this was done. */
  | { readonly kind: 'meanwhile'; readonly act: () => void }
  | { readonly kind: 'hang' | 'cut' | 'endless' }
  /** Signs with another key. */
  | { readonly kind: 'wrong-signature' }
  /** A signature with s in the upper half, which recovers to the right address all the same. */
  | { readonly kind: 'high-s' }
  /** Status 200 with this body. */
  | { readonly kind: 'garbage'; readonly body: string }

/** A request for a signature as it came in. */
export interface PrivyRequest {
  readonly method: string
  /** Why it was refused by the stub's own checks; null where it was not. */
  readonly refused: string | null
}

export interface PrivyStubOptions {
  /** Key of the wallet. @default a new one */
  readonly privateKey?: Hex
  /** Whether requests must carry an authorization signature. @default true */
  readonly authorization?: boolean
}

interface Rpc {
  readonly method: string
  readonly params: {
    readonly message?: string
    readonly encoding?: 'utf-8' | 'hex'
    readonly hash?: Hex
    readonly typed_data?: { primary_type: string; domain: object; types: object; message: object }
  }
}

/** Order of the secp256k1 group. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Privy's wallet RPC on a port of this machine: checks Basic authentication, the app id and the authorization signature
 * (ECDSA over P-256 and SHA-256 of the request as canonical JSON), and signs with a key of its own.
 */
export class PrivyStub {
  readonly appId = 'app-of-the-stub'
  readonly appSecret = `privy-secret-${randomBytes(12).toString('hex')}`
  readonly walletId = 'wallet-1'
  /** As the dashboard hands it out. Undefined where no authorization is asked for. */
  readonly authorizationKey: string | undefined
  readonly requests: PrivyRequest[] = []
  readonly #account: PrivateKeyAccount
  readonly #publicKey: KeyObject | null = null
  readonly #server: http.Server
  readonly #timers = new Set<NodeJS.Timeout>()
  #fault: PrivyFault | null = null
  #faultsLeft = 0

  private constructor({ authorization = true, privateKey = generatePrivateKey() }: PrivyStubOptions) {
    this.#account = privateKeyToAccount(privateKey)
    if (authorization) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      this.#publicKey = pair.publicKey
      const der = pair.privateKey.export({ type: 'pkcs8', format: 'der' })
      this.authorizationKey = `wallet-auth:${der.toString('base64')}`
    }
    this.#server = http.createServer((request, response) => void this.#serve(request, response))
  }

  static async start(options: PrivyStubOptions = {}): Promise<PrivyStub> {
    const stub = new PrivyStub(options)
    await listen(stub.#server)
    return stub
  }

  get address(): Hex {
    return this.#account.address
  }

  get url(): string {
    return urlOf(this.#server)
  }

  /** What a daemon needs to use this wallet. */
  get env(): Record<string, string> {
    return {
      ATTESTD_WALLET: 'privy',
      ATTESTD_WALLET_ADDRESS: this.address,
      ATTESTD_PRIVY_URL: this.url,
      ATTESTD_PRIVY_APP_ID: this.appId,
      ATTESTD_PRIVY_APP_SECRET: this.appSecret,
      ATTESTD_PRIVY_WALLET_ID: this.walletId,
      ...(this.authorizationKey ? { ATTESTD_PRIVY_AUTHORIZATION_KEY: this.authorizationKey } : {}),
    }
  }

  /** Gives the next requests that pass the checks this fault. @param times @default until the next call */
  setFault(fault: PrivyFault | null, times = Number.POSITIVE_INFINITY): void {
    this.#fault = fault
    this.#faultsLeft = times
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await endServer(this.#server)
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const rpc = JSON.parse(text || '{}') as Rpc
    const refused = this.#refusal(request, rpc)
    this.requests.push({ method: rpc.method, refused })
    if (refused) return reply(response, 401, { error: refused, code: 'invalid_data' })
    const fault = this.#faultsLeft-- > 0 ? this.#fault : null
    if (fault?.kind === 'slow') return void this.#later(fault.ms, () => void this.#answer(rpc, response, null))
    if (fault?.kind === 'meanwhile') fault.act()
    if (fault && misbehave(fault, response, `${request.headers.authorization} ${this.appSecret} ${text}`)) return
    await this.#answer(rpc, response, fault)
  }

  /** Null where the request is as Privy demands it. */
  #refusal({ headers, method, url = '' }: http.IncomingMessage, body: Rpc): string | null {
    if (method !== 'POST' || url !== `/api/v1/wallets/${this.walletId}/rpc`) return 'No such wallet'
    const basic = Buffer.from(`${this.appId}:${this.appSecret}`).toString('base64')
    if (headers.authorization !== `Basic ${basic}`) return 'Invalid app ID or app secret'
    if (headers['privy-app-id'] !== this.appId) return 'Missing app ID'
    if (!this.#publicKey) return null
    const signature = headers['privy-authorization-signature']
    if (typeof signature !== 'string') return 'No valid authorization signatures were provided'
    const signed = canonicalJson({
      version: 1,
      method: 'POST',
      url: `${this.url}${url}`,
      body,
      headers: { 'privy-app-id': this.appId },
    })
    const good = verify('sha256', Buffer.from(signed), this.#publicKey, Buffer.from(signature, 'base64'))
    return good ? null : 'No valid authorization signatures were provided'
  }

  async #answer(rpc: Rpc, response: http.ServerResponse, fault: PrivyFault | null): Promise<void> {
    const account = fault?.kind === 'wrong-signature' ? privateKeyToAccount(generatePrivateKey()) : this.#account
    const signature = await sign(account, rpc)
    if (!signature) return reply(response, 400, { error: 'Unsupported method', code: 'invalid_data' })
    const sent = fault?.kind === 'high-s' ? mirrored(signature) : signature
    reply(response, 200, { method: rpc.method, data: { signature: sent, encoding: 'hex' } })
  }

  #later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      act()
    }, ms)
    this.#timers.add(timer)
  }
}

async function sign(account: PrivateKeyAccount, { method, params }: Rpc): Promise<Hex | null> {
  if (method === 'personal_sign' && params.message !== undefined) {
    const message = params.encoding === 'hex' ? { raw: `0x${params.message}` as const } : params.message
    return account.signMessage({ message })
  }
  if (method === 'eth_signTypedData_v4' && params.typed_data) {
    const { primary_type: primaryType, ...rest } = params.typed_data
    return account.signTypedData({ ...rest, primaryType } as Parameters<typeof account.signTypedData>[0])
  }
  return method === 'secp256k1_sign' && params.hash ? account.sign({ hash: params.hash }) : null
}

/** @returns whether that was the answer */
function misbehave(fault: PrivyFault, response: http.ServerResponse, sent: string): boolean {
  if (fault.kind === 'status') {
    const { code, location, repeats, retryAfter, status } = fault
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    if (location !== undefined) response.setHeader('location', location)
    reply(response, status, { error: repeats ? sent : 'a fault of the stub', code: repeats ? sent : code })
  } else if (fault.kind === 'garbage') response.end(fault.body)
  else if (fault.kind === 'cut') response.destroy()
  else if (fault.kind === 'endless') {
    const more = () => {
      while (response.write(Buffer.alloc(65_536, 0x20)));
    }
    response.on('drain', more)
    more()
  } else return fault.kind === 'hang'
  return true
}

function reply(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The other of the two signatures that prove the same: s mirrored at the order, v flipped. */
export function mirrored(signature: Hex): Hex {
  const s = numberToHex(ORDER - BigInt(`0x${signature.slice(66, 130)}`), { size: 32 }).slice(2)
  return `${signature.slice(0, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}` as Hex
}

/** RFC 8785, as far as these requests need it: names in order, no white space. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

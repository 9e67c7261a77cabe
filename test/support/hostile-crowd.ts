import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { packagePath } from '../../src/core/files.js'
import type { MediaType } from '../../src/core/media-types.js'
import type { SandboxAsset } from '../../src/sandbox/books/asset-book.js'
import type { RegisterFileOptions, Sandbox } from '../../src/sandbox/create-sandbox.js'
import { type CraftedFile, craftedFiles, MOST_BYTES } from '../bench/crafted-files.js'
import type { HostileGateway } from './hostile-gateway.js'

/** Cap on media that the daemon must be given, bytes: above all honest and crafted files, below the oversized ones. */
export const CROWD_MAX_BYTES = 300_000
/** Oversized files that differ; each is registered many times. */
const OVERSIZED = 8
/** Crafted files whose decoding costs most for their bytes. */
const COSTLY = [
  'near-silent-opus.ogg',
  'hiss-opus.ogg',
  'bilevel.png',
  'columns.webp',
  'frames.gif',
  'huge.webm',
  'words.txt',
]
const SAMPLES: readonly (readonly [name: string, mediaType: MediaType])[] = [
  ['coffee.jpg', 'image'],
  ['diffusion-cat.webp', 'image'],
  ['clock_motion.png', 'image'],
  ['inaugural-address.ogg', 'audio'],
  ['espeak-weather.mp3', 'audio'],
  ['coffee-pan.webm', 'video_short'],
  ['cafe-review.txt', 'text'],
]
const HONEST = ['coffee.jpg', 'rocket.jpg', 'chelsea.jpg', 'astronaut.jpg', 'moose.jpg', 'dam.jpg', 'goldfish.jpg']
const TYPES: readonly MediaType[] = ['image', 'audio', 'video_short', 'text']

/** What a crowd is made with. */
export interface CrowdOptions {
  readonly sandbox: Sandbox
  readonly gateway: HostileGateway
  readonly folder: string
  readonly hostile: number
  readonly honest: number
  /** Names of the crafted files that are made. @default some of each kind of media */
  readonly costly?: readonly string[]
  /** Waits before the next asset is registered; the number of those that are. */
  readonly pace?: (registered: number) => Promise<void>
  /** Called for each honest asset once it is registered. */
  readonly onHonest: (asset: SandboxAsset) => void
}

type Files = readonly { readonly content: Buffer; readonly mediaType: MediaType }[]
/** How the nth hostile asset is registered; the fault is that of its gateway. */
type Register = (nth: number) => Promise<SandboxAsset>

/**
 * Registers urgent assets of which most are hostile: slow, unreachable, cut off and spoiled by their gateway, oversized, of
 * another hash, of an address that must not be contacted, malformed, truncated, costly. The honest ones, photographs, lie
 * evenly among them; the last asset is one of them.
 */
export async function registerCrowd(options: CrowdOptions): Promise<void> {
  const { gateway, hostile, honest, onHonest, pace, sandbox } = options
  const [samples, costly] = [await samplesOf(), await costlyFiles(options)]
  const register = (name: string, content: Buffer, more: RegisterFileOptions = {}) =>
    sandbox.registerFile(name, { content, turnaround: 'priority_5min', ...more })
  let files = 0
  /** Content of its own, so that no fault and no verdict of one asset is that of another. */
  const own = (content: Buffer) => Buffer.concat([content, Buffer.from(`\n${files++}\n`)])
  const sample = (nth: number, more: RegisterFileOptions = {}) => {
    const { content, mediaType } = samples[nth % samples.length]!
    return register(`sample-${nth}`, own(content), { mediaType, ...more })
  }
  const failing = (fault: Parameters<HostileGateway['spoil']>[1]): Register => {
    return async (nth) => {
      const asset = await sample(nth)
      gateway.spoil(asset.uri, fault)
      return asset
    }
  }
  const kinds: readonly Register[] = [
    failing('slow'),
    failing('unreachable'),
    failing('cut'),
    failing('spoiled'),
    (nth) => register(`large-${nth}`, Buffer.alloc(CROWD_MAX_BYTES + 1, nth % OVERSIZED), { mediaType: 'image' }),
    (nth) => sample(nth, { contentHash: `0x${createHash('sha256').update(`${nth}`).digest('hex')}` }),
    (nth) => sample(nth, { uri: nth % 2 ? 'https://127.0.0.1/x.png' : `ftp://example.org/${nth}` }),
    (nth) => register(`noise-${nth}`, noiseOf(nth), { mediaType: TYPES[nth % TYPES.length]! }),
    (nth) => {
      const { content, mediaType } = samples[nth % samples.length]!
      return register(`half-${nth}`, content.subarray(0, content.length / 2 + nth), { mediaType })
    },
    (nth) => {
      const { content, mediaType } = costly[nth % costly.length]!
      return register(`costly-${nth}`, own(content), { mediaType })
    },
  ]
  let good = 0
  for (let nth = 0; nth < hostile; nth++) {
    await pace?.(nth + good)
    await kinds[nth % kinds.length]!(Math.floor(nth / kinds.length))
    for (; good < honest && nth + 1 >= ((good + 1) * hostile) / honest; good++) {
      const photograph = await fs.readFile(packagePath('samples', HONEST[good % HONEST.length]!))
      onHonest(await register(`honest-${good}.jpg`, own(photograph), { mediaType: 'image' }))
    }
  }
}

/** How long honest assets take to their score. */
export class HonestWatch {
  readonly #registered = new Map<string, number>()
  /** From registration to score, ms, in the order of scores. */
  readonly latencies: number[] = []

  constructor(readonly sandbox: Sandbox) {}

  add({ id }: SandboxAsset): void {
    this.#registered.set(id, performance.now())
  }

  /** @returns how many of those added have no score yet */
  look(): number {
    for (const { assetId } of this.sandbox.scores()) {
      const since = this.#registered.get(assetId)
      if (since !== undefined && this.#registered.delete(assetId)) this.latencies.push(performance.now() - since)
    }
    return this.#registered.size
  }
}

async function samplesOf(): Promise<Files> {
  const read = async ([name, mediaType]: (typeof SAMPLES)[number]) => {
    return { content: await fs.readFile(packagePath('samples', name)), mediaType }
  }
  return Promise.all(SAMPLES.map(read))
}

/** Those that can be made here. */
async function costlyFiles({ costly = COSTLY, folder }: CrowdOptions): Promise<Files> {
  const found: { content: Buffer; mediaType: MediaType }[] = []
  for (const one of craftedFiles.filter(({ name }) => costly.includes(name))) {
    const content = await made(one, path.join(folder, one.name))
    if (content && content.length <= MOST_BYTES) found.push({ content, mediaType: one.mediaType })
  }
  return found
}

async function made({ make }: CraftedFile, file: string): Promise<Buffer | null> {
  return (await make(file)) ? fs.readFile(file) : null
}

/** Bytes that begin like a format and are none. */
function noiseOf(nth: number): Buffer {
  const head = [
    [0xff, 0xd8, 0xff],
    [0x4f, 0x67, 0x67, 0x53],
    [0x1a, 0x45, 0xdf, 0xa3],
    [0x89, 0x50, 0x4e, 0x47],
  ]
  const noise = createHash('sha512').update(`noise ${nth}`).digest()
  return Buffer.concat([Buffer.from(head[nth % head.length]!), ...Array<Buffer>(40).fill(noise)])
}

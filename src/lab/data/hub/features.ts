import path from 'node:path'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { readFileIfPresent } from '../../../core/files.js'
import type { MediaType } from '../../../core/media-types.js'
import { readJson } from '../../../core/text.js'

/** What a dataset of the Hugging Face hub states of a column. */
export interface Feature {
  /** Names of a ClassLabel, by number. */
  readonly names: readonly string[] | null
  readonly mediaType: MediaType | null
}
/** By column. */
export type Features = ReadonlyMap<string, Feature>

const names = z.union([z.array(z.string()), z.record(z.string(), z.string())])
/** As `datasets` writes it into parquet files and `dataset_infos.json`. */
const stated = z.record(z.string(), z.looseObject({ _type: z.string().optional(), names: names.optional() }).catch({}))
const inParquet = z.looseObject({ info: z.looseObject({ features: stated }) })
const inInfos = z.record(z.string(), z.looseObject({ features: stated }))
/** As the head of a dataset's README.md has it. */
const inCard = z.looseObject({ dataset_info: z.union([z.unknown().array(), z.unknown().transform((one) => [one])]) })
const cardInfo = z.looseObject({ features: z.array(z.looseObject({ name: z.string(), dtype: z.unknown() })) })
const inDtype = z.looseObject({ class_label: z.looseObject({ names }) })

const MEDIA: Readonly<Record<string, MediaType>> = { image: 'image', audio: 'audio' }

/** @param json value of the key `huggingface` of a parquet file; undefined where it has none */
export function featuresOfParquet(json: string | undefined): Features | null {
  const parsed = json === undefined ? null : readJson(inParquet, json)
  return parsed ? featuresOf(parsed.info.features) : null
}

/** What `dataset_infos.json` or the head of `README.md` in a folder states; nothing where neither does. */
export async function featuresOfFolder(folder: string): Promise<Features> {
  const infos = readJson(inInfos, await textOf(path.join(folder, 'dataset_infos.json')))
  const [first] = Object.values(infos ?? {})
  if (first) return featuresOf(first.features)
  return featuresOfCard(await textOf(path.join(folder, 'README.md')))
}

function featuresOfCard(text: string): Features {
  const found = new Map<string, Feature>()
  const [, head] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? []
  for (const info of inCard.safeParse(head === undefined ? null : yamlOf(head)).data?.dataset_info ?? []) {
    for (const { dtype, name } of cardInfo.safeParse(info).data?.features ?? []) {
      const label = inDtype.safeParse(dtype).data
      const mediaType = typeof dtype === 'string' ? (MEDIA[dtype] ?? null) : null
      found.set(name, { names: label ? inOrder(label.class_label.names) : null, mediaType })
    }
  }
  return found
}

function featuresOf(columns: z.infer<typeof stated>): Features {
  return new Map(
    Object.entries(columns).map(([column, { _type: type = '', names: all }]) => [
      column,
      { names: all ? inOrder(all) : null, mediaType: MEDIA[type.toLowerCase()] ?? null },
    ]),
  )
}

/** Cards number their names: `'0': fake`. */
function inOrder(all: z.infer<typeof names>): string[] {
  if (Array.isArray(all)) return all
  return Object.entries(all)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, name]) => name)
}

const textOf = async (file: string): Promise<string> => (await readFileIfPresent(file))?.toString('utf8') ?? ''

function yamlOf(text: string): unknown {
  try {
    return parseYaml(text)
  } catch {
    return null
  }
}

/** Fields with the names of their classes in place of numbers; a number that has no name stays, and is refused as a label. */
export function withClassNames(fields: Readonly<Record<string, unknown>>, features: Features): Record<string, unknown> {
  const named = ([column, value]: [string, unknown]) => {
    const all = features.get(column)?.names
    // A number that the names do not reach must not pass for the other class.
    return [column, all && /^-?\d+$/.test(String(value)) ? (all[Number(value)] ?? `class ${value}`) : value] as const
  }
  return Object.fromEntries(Object.entries(fields).map(named))
}

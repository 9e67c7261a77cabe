// `npm run fuzz`: hostile inputs through the real parsers and rooms, from media to settings. Without options a short run of
// less than a minute; by hand `-- --seed N --seconds S --media N --events N`, `--only media,stream`. The same seed makes the
// same inputs; `--from N` begins with the N-th of each target. What goes wrong is printed and its input kept.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Chance } from './mutate/chance.js'
import type { Target, Tried } from './target.js'
import { TARGETS } from './targets.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '55' },
    media: { type: 'string', default: '20' },
    events: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
  },
})
/** A share of the events: replies, manifests, settings and such are cheap. */
const OTHERS_SHARE = 0.2
const WANTED = {
  media: Number(values.media),
  events: Number(values.events),
  others: Math.ceil(Number(values.events) * OTHERS_SHARE),
}
const endsAt = performance.now() + Number(values.seconds) * 1000
const kept = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-fuzz-'))
let wrongs = 0
/** What is being tried, for an error that nobody caught. */
let current = 'nothing'

const print = (line: string) => process.stdout.write(`${line}\n`)

// In the daemon either would end the process.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    wrongs++
    print(`WRONG ${current}: ${event}: ${error instanceof Error ? error.stack : String(error)}`)
  })
}

async function report(name: string, { input, ending, verdicts }: Tried): Promise<void> {
  for (const { wrong } of verdicts) {
    if (wrong === null) continue
    wrongs++
    const file = path.join(kept, `${name.replaceAll(' ', '-')}.${ending}`)
    await fs.writeFile(file, input)
    print(`WRONG ${name}: ${wrong}\n  input: ${file}`)
  }
}

async function fuzz(target: Target): Promise<void> {
  const started = performance.now()
  const outcomes = new Map<string, number>()
  const open = await target.open()
  let [inputs, counted] = [0, 0]
  const first = Number(values.from)
  try {
    for (; counted < WANTED[target.counts] && performance.now() < endsAt; inputs++) {
      current = `${target.name} ${first + inputs}`
      const tried = await open.tryOne(new Chance(`${values.seed} ${current}`))
      for (const { outcome } of tried.verdicts) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      counted += target.counts === 'events' ? tried.verdicts.length : 1
      await report(current, tried)
    }
  } finally {
    await open.close()
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const early = counted < WANTED[target.counts] ? ' (out of time)' : ''
  print(`${target.name}: ${inputs} inputs, ${sum(outcomes)} verdicts in ${seconds} s${early}`)
  for (const [outcome, count] of [...outcomes].sort((a, b) => b[1] - a[1]))
    print(`  ${String(count).padStart(7)}  ${outcome}`)
}

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, count) => all + count, 0)

const names = values.only?.split(',')
print(`seed ${values.seed}, ${values.seconds} s at most`)
for (const target of TARGETS) if (names?.includes(target.name) ?? true) await fuzz(target)
if (wrongs === 0) await fs.rm(kept, { recursive: true })
print(wrongs === 0 ? 'Nothing went wrong.' : `${wrongs} went wrong; their inputs are in ${kept}`)
process.exitCode = wrongs === 0 ? 0 : 1

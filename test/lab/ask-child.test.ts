import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/core/clock.js'
import { askLabChild, startLabChild } from '../../src/lab/ask-child.js'
import { ManualClock } from '../support/manual-clock.js'

/** Answers as it was asked to; `tell` says what it can see. */
const CHILD = `
process.on('message', ({ do: what, value }) => {
  if (what === 'answer') process.send(value)
  if (what === 'tell') process.send({ env: Object.keys(process.env), cwd: process.cwd(), argv: process.execArgv })
  if (what === 'exit') process.exit(0)
  if (what === 'shout') { console.log('x'.repeat(200000)); console.error('x'.repeat(200000)); process.send(value) }
})
`

let folder: string
const children: ChildProcess[] = []
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-child-'))
  await fs.writeFile(path.join(folder, 'child.js'), CHILD)
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => fs.rm(folder, { recursive: true }))

function start(): ChildProcess {
  const child = startLabChild(pathToFileURL(path.join(folder, 'caller.js')).href, 'child')
  children.push(child)
  return child
}

const shape = z.strictObject({ answer: z.number() })
const wait = { clock: systemClock, timeoutMs: 20_000 }
const ended = (child: ChildProcess) => (child.exitCode ?? child.signalCode) !== null || once(child, 'exit')

describe('a process of the lab', () => {
  it('answers one question after another', async () => {
    const child = start()
    const ask = (answer: number) => askLabChild(child, { do: 'answer', value: { answer } }, shape, wait)
    expect([await ask(1), await ask(2)]).toEqual([{ answer: 1 }, { answer: 2 }])
    expect(child.killed).toBe(false)
    expect(child.listenerCount('message') + child.listenerCount('exit')).toBe(0)
  })

  it('sees nothing of this environment, neither its folder nor its flags', async () => {
    const told = z.strictObject({ env: z.array(z.string()), cwd: z.string(), argv: z.array(z.string()) })
    process.env.ATTESTD_SECRET_OF_TEST = 'secret'
    const seen = await askLabChild(start(), { do: 'tell' }, told, wait)
    delete process.env.ATTESTD_SECRET_OF_TEST
    expect(seen).toMatchObject({ cwd: '/', argv: [] })
    expect(
      seen?.env.filter((name) => name !== 'NODE_CHANNEL_FD' && name !== 'NODE_CHANNEL_SERIALIZATION_MODE'),
    ).toEqual([])
  })

  it('may print as much as it likes', async () => {
    const asked = { do: 'shout', value: { answer: 3 } }
    expect(await askLabChild(start(), asked, shape, wait)).toEqual({ answer: 3 })
  })
})

describe('a process that goes wrong gives nothing, and is ended', () => {
  it.each([
    ['an answer of another shape', { do: 'answer', value: { answer: '1' } }],
    ['an answer with more in it', { do: 'answer', value: { answer: 1, more: 1 } }],
    ['no answer but its end', { do: 'exit' }],
  ])('%s', async (_, question) => {
    const child = start()
    expect(await askLabChild(child, question, shape, wait)).toBeNull()
    await ended(child)
    expect(child.listenerCount('message')).toBe(0)
  })

  it('an answer that is late', async () => {
    const child = start()
    const clock = new ManualClock()
    const asked = askLabChild(child, { do: 'nothing' }, shape, { clock, timeoutMs: 5000 })
    await clock.untilSleeping()
    await clock.advance(4999)
    expect(child.killed).toBe(false)
    await clock.advance(1)
    expect(await asked).toBeNull()
    await ended(child)
    expect(child.signalCode).toBe('SIGKILL')
  })

  it('a question to one that has ended already', async () => {
    const child = start()
    child.kill('SIGKILL')
    await ended(child)
    const clock = new ManualClock()
    const asked = askLabChild(child, { do: 'answer', value: { answer: 1 } }, shape, { clock, timeoutMs: 5000 })
    await clock.untilSleeping()
    await clock.advance(5000)
    expect(await asked).toBeNull()
  })
})

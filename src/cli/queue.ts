import { Command } from 'commander'
import type { QueueControl } from '../app/verbs/queue-control.js'
import { AttestdError } from '../core/errors.js'
import { QUEUE_WORDS } from '../queue/queues.js'
import { wholeNumberFlag } from './flags/numbers.js'
import { settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { printFound, printText } from './terminal/print.js'
import { table } from './terminal/table.js'

const KEYS = ['dataDir', 'queueUrl', 'queuePrefix', 'queueTlsCa', 'queueTlsCert', 'queueTlsKey'] as const

interface QueueFlags {
  readonly queue?: string
  readonly id?: string[]
  readonly limit?: string
  readonly json?: boolean
}

/** `attestd queue failed`, `waiting`, `retry`, `drain`, `pause` and `resume`; each is for all queues where --queue names none. */
export function queueVerb(): Command {
  const queue = new Command('queue').description(
    'Inspect and repair the queues, through the running daemon if there is one.',
  )
  const add = (name: string, summary: string, work: (control: QueueControl, flags: QueueFlags) => Promise<void>) => {
    const verb = verbWithSettings(name, summary, KEYS).option(
      '--queue <name>',
      'analyze, submit, or one kind such as analyze-image (default: all)',
    )
    queue.addCommand(verb.action((flags: QueueFlags) => withQueues(verb, (control) => work(control, flags))))
    return verb
  }
  for (const list of [
    add('failed', 'List failed jobs with their reason.', listFailed),
    add('waiting', 'List jobs that wait for a retry, with the last reason.', listWaiting),
  ]) {
    list.option('--limit <count>', 'maximum number of jobs', '50').option('--json', 'JSON instead of a table')
  }
  add('retry', 'Retry failed jobs.', async (control, { queue: name, id }) => {
    printText(`${await control.retry({ ...named(name), ids: id })} failed jobs will be retried.\n`)
  }).option('--id <job...>', 'only these jobs, as `queue failed` lists them')
  add(
    'drain',
    'Remove waiting jobs; active and failed ones stay, and open assets are queued again within minutes.',
    async (control, { queue: name }) => printText(`${await control.drain(named(name))} waiting jobs removed.\n`),
  )
  add(
    'pause',
    'Stop all daemons on the queue from taking jobs until `resume`; active jobs finish.',
    async (control, { queue: name }) => printPaused(await control.pause(named(name))),
  )
  add('resume', 'Let the daemons take jobs again.', async (control, { queue: name }) =>
    printPaused(await control.resume(named(name))),
  )
  return queue
}

const printPaused = (paused: readonly string[]): void =>
  printText(paused.length > 0 ? `Paused: ${paused.join(', ')}.\n` : 'All queues resumed.\n')

async function withQueues(verb: Command, work: (control: QueueControl) => Promise<void>): Promise<void> {
  const { openQueueControl } = await import('../app/verbs/queue-control.js')
  const control = await openQueueControl(settingsOf(verb))
  try {
    await work(control)
  } finally {
    await control.close()
  }
}

function named(queue: string | undefined): { queue?: string } {
  if (queue === undefined) return {}
  if (QUEUE_WORDS.includes(queue)) return { queue }
  const words = QUEUE_WORDS.join(', ')
  throw new AttestdError('argument-invalid', `--queue takes one of ${words}, got ${JSON.stringify(queue)}.`)
}

function listQuery({ queue, limit = '50' }: QueueFlags) {
  return { ...named(queue), limit: wholeNumberFlag('--limit', limit, { from: 1, to: 1000 }) }
}

async function listFailed(control: QueueControl, flags: QueueFlags): Promise<void> {
  const jobs = await control.failed(listQuery(flags))
  const listed = () =>
    table(jobs, [
      { title: 'queue', drop: 2, of: (job) => job.queue },
      { title: 'job', max: 46, of: ({ id }) => id },
      { title: 'asset', max: 30, drop: 4, of: ({ assetId }) => assetId ?? '–' },
      { title: 'reason', of: ({ reason }) => reason },
      { title: 'tries', right: true, drop: 1, of: ({ attempts }) => String(attempts) },
      { title: 'failed at', drop: 3, of: ({ failedAt }) => new Date(failedAt).toISOString() },
      { title: 'detail', max: 70, min: 16, of: ({ message }) => message },
    ])
  printFound(flags.json, jobs, () => (jobs.length > 0 ? listed() : 'No failed jobs.'))
}

async function listWaiting(control: QueueControl, flags: QueueFlags): Promise<void> {
  const jobs = await control.waiting(listQuery(flags))
  const listed = () =>
    table(jobs, [
      { title: 'queue', drop: 2, of: (job) => job.queue },
      { title: 'asset', max: 46, of: ({ assetId, id }) => assetId ?? id },
      { title: 'reason', of: ({ reason }) => reason ?? 'held' },
      { title: 'tries', right: true, drop: 1, of: ({ attempts }) => String(attempts) },
      { title: 'next try', drop: 3, of: ({ nextTryAt }) => new Date(nextTryAt).toISOString() },
      { title: 'detail', max: 70, min: 16, of: ({ message }) => message },
    ])
  printFound(flags.json, jobs, () => (jobs.length > 0 ? listed() : 'No job waits for a retry.'))
}

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
  const verb = (name: string, summary: string) =>
    verbWithSettings(name, summary, KEYS).option(
      '--queue <name>',
      'analyze, submit, or one kind such as analyze-image (default: all)',
    )
  const list = (name: string, summary: string) =>
    verb(name, summary)
      .option('--limit <count>', 'maximum number of jobs', '50')
      .option('--json', 'JSON instead of a table')
  const failed = list('failed', 'List failed jobs with their reason.')
  const waiting = list('waiting', 'List jobs that wait for a retry, with the last reason.')
  const retry = verb('retry', 'Retry failed jobs.').option(
    '--id <job...>',
    'only these jobs, as `queue failed` lists them',
  )
  const drain = verb(
    'drain',
    'Remove waiting jobs; active and failed ones stay, and open assets are queued again within minutes.',
  )
  const pause = verb('pause', 'Stop all daemons on the queue from taking jobs until `resume`; active jobs finish.')
  const resume = verb('resume', 'Let the daemons take jobs again.')
  queue.addCommand(failed.action((flags: QueueFlags) => withQueues(failed, (control) => listFailed(control, flags))))
  queue.addCommand(waiting.action((flags: QueueFlags) => withQueues(waiting, (control) => listWaiting(control, flags))))
  queue.addCommand(
    retry.action(({ queue: name, id }: QueueFlags) =>
      withQueues(retry, async (control) => {
        const count = await control.retry({ ...named(name), ids: id })
        printText(`${count} failed jobs will be retried.\n`)
      }),
    ),
  )
  queue.addCommand(
    drain.action(({ queue: name }: QueueFlags) =>
      withQueues(drain, async (control) => {
        printText(`${await control.drain(named(name))} waiting jobs removed.\n`)
      }),
    ),
  )
  for (const change of [pause, resume]) {
    const action = change.name() as 'pause' | 'resume'
    queue.addCommand(
      change.action(({ queue: name }: QueueFlags) =>
        withQueues(change, async (control) => {
          const paused = await control[action](named(name))
          printText(paused.length > 0 ? `Paused: ${paused.join(', ')}.\n` : 'All queues resumed.\n')
        }),
      ),
    )
  }
  return queue
}

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

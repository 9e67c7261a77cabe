import { expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { engineError } from '../../src/queue/engine-error.js'

it.each([
  ['Missing lock for job asset-1. moveToFinished', undefined, 'job-lock-lost'],
  ['could not renew lock for job asset-1', undefined, 'job-lock-lost'],
  ['Connection is closed.', undefined, 'queue-unreachable'],
  ['Command timed out', undefined, 'queue-unreachable'],
  ['connect failed', 'ECONNREFUSED', 'queue-unreachable'],
  ['NOPERM No permissions to access a key', undefined, 'queue-unauthorized'],
  ["ERR ACL failure in script: User me has no permissions to run the 'xadd' command", undefined, 'queue-unauthorized'],
  ["ERR The user executing the script can't run this command or subcommand", undefined, 'queue-unauthorized'],
  ['WRONGPASS invalid username-password pair or user is disabled.', undefined, 'queue-unauthorized'],
  ['Too many Cluster redirections. Last error: Error: Connection is closed.', undefined, 'queue-unreachable'],
  ['NOREPLICAS Not enough good replicas to write.', undefined, 'queue-unreachable'],
  ['deadlock detected', '40P01', 'internal-error'],
  ["OOM command not allowed when used memory > 'maxmemory'.", undefined, 'queue-unreachable'],
  ['MISCONF Redis is configured to save RDB snapshots, but cannot.', undefined, 'queue-unreachable'],
])('%s (%s) is %s', (message, code, reason) => {
  expect(engineError(Object.assign(new Error(message), code ? { code } : {}))).toMatchObject({ reason, message })
})

it('keeps an error that already has a reason', () => {
  const error = new AttestdError('job-malformed')
  expect(engineError(error)).toBe(error)
})

it('names Redis where a command ran out of retries, not an option of its client', () => {
  const text =
    'Reached the max retries per request limit (which is 5). Refer to "maxRetriesPerRequest" option for details.'
  expect(engineError(new Error(text))).toMatchObject({ reason: 'queue-unreachable', message: 'Redis does not answer.' })
})

it.each([
  ['connect ECONNREFUSED 127.0.0.1:6379', /^Start Redis/],
  ['connect ETIMEDOUT', /firewall/],
  ['connect EHOSTUNREACH 10.0.0.9:6379', /firewall/],
  ['Command timed out', /blocked by a slow command/],
  ['getaddrinfo ENOTFOUND redis', /name servers/],
  ['getaddrinfo EAI_AGAIN redis', /name servers/],
  ['LOADING Redis is loading the dataset in memory', /wait/],
  ['ERR max number of clients reached', /maxclients/],
  ["READONLY You can't write against a read only replica.", /name the primary/],
])('states what to do about %s', (message, fix) => {
  expect(engineError(new Error(message))).toMatchObject({
    reason: 'queue-unreachable',
    fix: expect.stringMatching(fix),
  })
})

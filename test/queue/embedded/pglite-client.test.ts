import { describe, expect, it } from 'vitest'
import { PgliteClient } from '../../../src/queue/embedded/pglite-client.js'

function setUp() {
  const listened: string[] = []
  const asked: unknown[][] = []
  const released: PgliteClient[] = []
  const client = new PgliteClient({
    query: async (text, params) => {
      asked.push([text, params])
      return { rows: [] }
    },
    listen: async (channel) => void listened.push(channel),
    release: (each) => released.push(each),
  })
  return { asked, client, listened, released }
}

describe('a client of the one session', () => {
  it.each([
    'LISTEN jobs',
    'listen jobs;',
    '  LISTEN   jobs  ;  ',
    '-- a note\nLISTEN jobs',
    '-- one\n  -- two\n LISTEN jobs',
  ])('listens through the pool, which knows the listeners: %j', async (text) => {
    const { asked, client, listened } = setUp()
    expect(await client.query(text)).toEqual({ rows: [] })
    expect([listened, asked]).toEqual([['jobs'], []])
  })

  it.each(['LISTEN', 'LISTEN a b', 'SELECT 1 -- LISTEN jobs', 'UNLISTEN jobs', 'LISTEN jobs; DROP TABLE job'])(
    'uses the session for everything else: %j',
    async (text) => {
      const { asked, client, listened } = setUp()
      await client.query(text, [1])
      expect([listened, asked]).toEqual([[], [[text, [1]]]])
    },
  )

  it('keeps its own name, since the session has only one', async () => {
    const { asked, client } = setUp()
    await client.query("SELECT set_config('application_name', $1, false)", ['worker-1'])
    expect([client.applicationName, asked]).toEqual(['worker-1', []])
    await client.query("SELECT set_config('application_name', $1, false)")
    expect(client.applicationName).toBe('')
  })

  it('receives nothing once it is released', () => {
    const { client, released } = setUp()
    const heard: unknown[] = []
    client.on('notification', (message) => heard.push(message))
    client.emit('notification', 1)
    client.release()
    client.emit('notification', 2)
    expect([heard, released]).toEqual([[1], [client]])
  })
})

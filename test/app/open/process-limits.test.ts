import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { checkLimits } from '../../../src/app/open/process-limits.js'
import { packagePath } from '../../../src/core/files.js'
import { folderForTest } from '../../support/temporary-folder.js'

const EMBEDDED = { queueUrl: 'embedded:' }
/** Node 22 and later read one module after the other, with few files open. */
const readsCodeAtOnce = process.versions.node.startsWith('20.')
const limits = (name: string, soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\n${name.padEnd(25)} ${soft.padEnd(20)} unlimited            bytes\n`

describe('limits of the process', () => {
  it.each([
    ['Max address space', '38654705663', 'LimitAS=infinity'],
    ['Max open files', '255', 'LimitNOFILE=4096'],
    ['Max file size', '1048576', 'ulimit -f unlimited'],
  ])('refuse a start by name: %s', async (name, soft, fix) => {
    await expect(checkLimits(EMBEDDED, limits(name, soft))).rejects.toMatchObject({
      reason: 'limits-low',
      message: expect.stringContaining(`"${name}" of this process is ${soft}`),
      fix: expect.stringContaining(fix),
    })
    for (const enough of ['unlimited', '99999999999']) await checkLimits(EMBEDDED, limits(name, enough))
  })

  it('of address space may be lower without the embedded database', async () => {
    await checkLimits({ queueUrl: 'redis://h' }, limits('Max address space', '26000000000'))
    await checkLimits(EMBEDDED, '')
  })

  it
    .skipIf(process.platform !== 'linux')
    .each([
      ['a daemon', '-v 30000000', 'run', 'LimitAS=infinity'],
      ...(readsCodeAtOnce ? [['what still reads its code', '-n 64', '--version', 'LimitNOFILE=4096']] : []),
    ])('end %s with 78 and the fix', async (_, limit, verb, fix) => {
    const main = [process.execPath, packagePath('dist', 'cli', 'main.js'), verb]
    const { PATH = '' } = process.env
    const { status, stderr } = spawnSync('sh', ['-c', `ulimit ${limit}; exec "$@"`, '-', ...main], {
      encoding: 'utf8',
      env: {
        PATH,
        ATTESTD_DATA_DIR: await folderForTest(),
        ATTESTD_SERVICE_URL: 'https://service.example',
        ATTESTD_ACCESS_KEY: 'ak_att_key',
        ATTESTD_SIGNING_SECRET: 'secret-of-a-test',
        ATTESTD_HTTP_PORT: '0',
      },
    })
    expect(stderr).toMatch(/\[limits-low\]\n {2}fix {2}/)
    expect(stderr).toContain(fix)
    expect(status).toBe(78)
  })
})

import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished, type TestContext } from 'vitest'

/** A folder for all tests of a file, or of the `describe` around the call. It is removed after them. */
export function folderForAll(): string {
  const folder = unusedPath()
  beforeAll(() => make(folder))
  afterAll(() => remove(folder))
  return folder
}

/** Writes bytes to files of their own, which are removed after all tests of a file or of the `describe` around the call. */
export function filesForAll(): (bytes: Uint8Array | string, name?: string) => Promise<string> {
  const folder = folderForAll()
  return async (bytes, name = 'file') => {
    const file = path.join(await fs.mkdtemp(path.join(folder, 'case-')), name)
    await fs.writeFile(file, bytes)
    return file
  }
}

/** A folder for each test: it is empty when a test begins. */
export function folderForEach(): string {
  const folder = unusedPath()
  beforeEach(() => make(folder))
  afterEach(() => remove(folder))
  return folder
}

/**
 * A folder for the test that runs.
 * @param context of a test that runs beside others, which vitest cannot find by itself
 */
export async function folderForTest(
  context: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<string> {
  const folder = unusedPath()
  context.onTestFinished(() => remove(folder))
  await make(folder)
  return folder
}

const unusedPath = () => path.join(realpathSync(os.tmpdir()), `attestd-test-${randomUUID()}`)
const make = (folder: string) => fs.mkdir(folder, { mode: 0o700 })
// A process that a test started may still be writing.
const remove = (folder: string) => fs.rm(folder, { recursive: true, force: true, maxRetries: 3 })

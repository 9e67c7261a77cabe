import fs from 'node:fs/promises'
import path from 'node:path'
import { makeTemporaryFolder, removeOwnFolder } from '../../core/disk/own-folders.js'
import { DetectorProcess } from '../../detect/host/detector-process.js'
import { interrupted } from '../interrupted.js'
import type { Measuring } from '../measure/measure-sample.js'

/** Longest side, px; twice what a card shows. */
const SIDE = 280
/** Larger ones are left out, bytes: files of an evaluation are as hostile as any, and so is what decodes them. */
const MAX_BYTES = 300_000

/**
 * Small JPEG pictures as `data:` URLs, decoded in a detector process; what cannot be decoded is left out.
 * @param files path of each picture by the name it gets in the result
 * @throws AttestdError draining (the signal aborted), and why no process can be started
 */
export async function makeThumbnails(
  files: ReadonlyMap<string, string>,
  { signal, ...options }: Measuring,
): Promise<Map<string, string>> {
  const made = new Map<string, string>()
  const folder = await makeTemporaryFolder('attestd-thumbnails-')
  const out = path.join(folder, 'thumbnail')
  let child: DetectorProcess | null = null
  try {
    for (const [name, file] of files) {
      if (signal.aborted) throw interrupted()
      if (!child?.alive) child = await DetectorProcess.start({ ...options, packages: [] }, signal)
      const work = child.show({ detectorId: null, file: path.resolve(file), mediaType: 'image', out, side: SIDE })
      const bytes = await work.then(
        () => fs.readFile(out),
        () => null,
      )
      if (bytes && bytes.length <= MAX_BYTES) made.set(name, `data:image/jpeg;base64,${bytes.toString('base64')}`)
    }
    return made
  } catch (error) {
    throw signal.aborted ? interrupted() : error
  } finally {
    await child?.kill('closed')
    await removeOwnFolder(folder)
  }
}

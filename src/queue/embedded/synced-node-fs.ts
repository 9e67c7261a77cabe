import fs from 'node:fs'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Init = NodeFS['init']
type FileOperations = Record<string, unknown>
interface RuntimeModule {
  NODEFS?: { stream_ops: FileOperations }
}

/**
 * PGlite's file system with an fsync that reaches the disk: Emscripten's has none, so PostgreSQL's calls do nothing. Only
 * `queue.fsync` uses it, which could promise nothing without it; the default runs PGlite as it is published.
 * It leans on the inside of PGlite, therefore the version is pinned and a missing part is an error, not a silent loss.
 */
export class SyncedNodeFS extends NodeFS {
  override async init(...args: Parameters<Init>): ReturnType<Init> {
    const result = await super.init(...args)
    const addFsync = (module: unknown) => {
      const operations = (module as RuntimeModule).NODEFS?.stream_ops
      if (!operations) throw new Error('This build of PGlite offers no place to add fsync.')
      operations.fsync = (stream: { nfd: number }) => {
        fs.fdatasyncSync(stream.nfd)
        return 0
      }
    }
    result.emscriptenOpts.preRun = [...(result.emscriptenOpts.preRun ?? []), addFsync]
    return result
  }
}

import { isUtf8 } from 'node:buffer'
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { AttestdError, errorText } from '../../core/errors.js'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import { issueText } from '../../service/issue-text.js'
import { JOURNAL_HEADER, type JournalEntry, JournalEntrySchema, JournalHeaderSchema } from './journal-entry.js'
import { KeptState } from './kept-state.js'

/**
 * The sandbox's state as a file of JSON lines that only grows, one line for each change, written in the same turn as
 * the change and therefore before its reply. What was acknowledged outlives a kill of the process, because the line is
 * with the kernel then. It is not synced to the disk line by line: a power failure may cost the latest lines.
 */
export class Journal {
  readonly #file: string
  readonly #descriptor: number
  #size: number
  #broken: AttestdError | null = null

  private constructor(file: string, size: number) {
    this.#file = file
    this.#descriptor = openSync(file, 'a', 0o600)
    this.#size = size
  }

  /**
   * Reads the journal, rewrites it without what is outdated, and opens it for more. A last line without its end is what
   * a kill leaves: it was never acknowledged and is dropped.
   * @throws AttestdError sandbox-data-invalid for any other line that cannot be read, and changes nothing then; data-dir-unusable
   */
  static async open(file: string): Promise<{ journal: Journal; kept: KeptState; torn: boolean }> {
    const { kept, torn } = read(file, (await readFileIfPresent(file)) ?? Buffer.alloc(0))
    const text = [JOURNAL_HEADER, ...kept.entries()].map((line) => `${JSON.stringify(line)}\n`).join('')
    try {
      await writeFileAtomic(file, text)
      return { journal: new Journal(file, Buffer.byteLength(text)), kept, torn }
    } catch (error) {
      throw unwritable(file, error)
    }
  }

  /** Returns when the line is written. @throws AttestdError data-dir-unusable; the file is as before then */
  append(entry: JournalEntry): void {
    if (this.#broken !== null) throw this.#broken
    const line = Buffer.from(`${JSON.stringify(entry)}\n`)
    try {
      for (let written = 0; written < line.byteLength; ) written += writeSync(this.#descriptor, line, written)
      this.#size += line.byteLength
    } catch (error) {
      this.#takeBack(error)
      throw unwritable(this.#file, error)
    }
  }

  close(): void {
    this.#broken = new AttestdError('data-dir-unusable', `${this.#file} is closed.`)
    closeSync(this.#descriptor)
  }

  /** Half a line in the middle would make the whole file unreadable. */
  #takeBack(cause: unknown): void {
    try {
      ftruncateSync(this.#descriptor, this.#size)
    } catch {
      this.#broken = unwritable(this.#file, cause)
    }
  }
}

function read(file: string, bytes: Buffer): { kept: KeptState; torn: boolean } {
  const kept = new KeptState()
  // A kill may cut a character in two; anywhere else, what is no UTF-8 would be rewritten as something else.
  if (!isUtf8(bytes.subarray(0, bytes.lastIndexOf('\n') + 1))) throw unreadable(file, 'it is not UTF-8')
  const lines = bytes.toString('utf8').split('\n')
  const torn = lines.pop() !== ''
  for (const [index, line] of lines.entries()) {
    const parsed = (index === 0 ? JournalHeaderSchema : JournalEntrySchema).safeParse(jsonOf(line))
    if (!parsed.success) throw unreadable(file, `line ${index + 1}: ${issueText(parsed.error)}`)
    if (index > 0) kept.apply(parsed.data as JournalEntry)
  }
  // A first line that is not whole may be of any file; ours is written in one go together with its header.
  if (torn && lines.length === 0) throw unreadable(file, 'it does not begin as a journal of the sandbox')
  return { kept, torn }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function unreadable(file: string, what: string): AttestdError {
  return new AttestdError('sandbox-data-invalid', `${file} cannot be read, ${what}. Nothing was changed.`)
}

function unwritable(file: string, cause: unknown): AttestdError {
  return new AttestdError('data-dir-unusable', `${file} cannot be written: ${errorText(cause)}`, { cause })
}

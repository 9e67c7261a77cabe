import { SettingsError } from '../config/load.js'
import { isDiskFull } from '../core/disk/storage-error.js'
import { AttestdError, errorCode, errorText } from '../core/errors.js'
import { EXIT } from '../core/shutdown.js'
import { createRedactor } from '../observe/redaction.js'

/** The exit code for what ended a verb: 64 for a wrong command line, 78 for wrong settings, 75 where a restart may help, else 1. */
export function exitCodeOf(thrown: unknown): number {
  const error = named(thrown)
  if (error instanceof SettingsError) return EXIT.config
  if (!(error instanceof AttestdError)) return EXIT.failed
  if (error.reason === 'argument-invalid') return EXIT.usage
  if (error.kind === 'setup') return EXIT.config
  return error.kind === 'retry' || error.kind === 'wait' ? EXIT.temporary : EXIT.failed
}

/** An error as lines that a person reads on a terminal, without what looks like a secret. */
export const errorForPeople = (error: unknown): string[] => plainLines(error).map(createRedactor([]))

/** A full disk, a file of another user and a working directory that was removed, by their reasons, whatever met them. */
function named(error: unknown): unknown {
  if (error instanceof SettingsError || error instanceof AttestdError) return error
  if (/uv_cwd/.test(errorText(error))) {
    const fix = 'Change to a directory that exists (cd), then run the command again.'
    return new AttestdError('argument-invalid', 'The working directory was removed.', { cause: error, fix })
  }
  if (/EMFILE/.test(errorText(error))) return new AttestdError('limits-low', errorText(error), { cause: error })
  if (/^(?:EACCES|EPERM)$/.test(errorCode(error) ?? '')) {
    const fix =
      'Run the command as the user that attestd runs as (sudo -u USER), or give that file or folder to this user.'
    return new AttestdError('data-dir-unusable', errorText(error), { cause: error, fix })
  }
  if (!isDiskFull(error)) return error
  const fix = 'Free space where the command writes, and in the folder for temporary files (TMPDIR, else /tmp).'
  return new AttestdError('disk-full', errorText(error), { cause: error, fix })
}

function plainLines(thrown: unknown): string[] {
  const error = named(thrown)
  if (error instanceof SettingsError) return error.message.trimEnd().split('\n')
  if (!(error instanceof AttestdError)) return [`attestd: ${errorText(error)}`]
  const fix = error.fix ? [`  fix  ${error.fix}`] : []
  return [`attestd: ${error.message}  [${error.reason}]`, ...fix]
}

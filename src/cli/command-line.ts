import { Command, CommanderError } from 'commander'
import { waitForSlowAddresses } from '../core/net/connection-attempts.js'
import { EXIT } from '../core/shutdown.js'
import { VERSION } from '../core/version.js'
import { completionVerb } from './completion.js'
import { demoVerb } from './demo.js'
import { doctorVerb } from './doctor.js'
import { errorForPeople, exitCodeOf } from './exit-code.js'
import { initVerb } from './init.js'
import { keysVerb } from './keys.js'
import { modelsVerb } from './models/models.js'
import { queueVerb } from './queue.js'
import { registerVerb } from './register.js'
import { replayVerb } from './replay.js'
import { runVerb } from './run.js'
import { sandboxVerb } from './sandbox.js'
import { scoreVerb } from './score.js'
import { scoresVerb } from './scores.js'
import { statusVerb } from './status.js'
import { printErrorLines, printText } from './terminal/print.js'
import { walletVerb } from './wallet.js'

/** Ends the process once what it prints cannot be written. */
export function watchOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever reads has seen enough, as `| head` does: the rest is for nobody.
      if (error.code === 'EPIPE') process.exit()
      printErrorLines(errorForPeople(error))
      process.exit(exitCodeOf(error))
    })
  }
}

/** Runs one command line, without the program's name; errors are printed, the exit code is in `process.exitCode`. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  waitForSlowAddresses()
  const program = new Command('attestd')
    .description('An autonomous attester: listens, fetches, verifies, detects, and submits one signed score per asset.')
    .version(VERSION)
    .showHelpAfterError('(attestd --help shows the verbs)')
  for (const verb of [
    runVerb(),
    demoVerb(),
    initVerb(),
    doctorVerb(),
    statusVerb(),
    scoreVerb(),
    scoresVerb(),
    replayVerb(),
    modelsVerb(),
    registerVerb(),
    keysVerb(),
    walletVerb(),
    sandboxVerb(),
    queueVerb(),
    completionVerb(),
  ]) {
    program.addCommand(verb)
  }
  prepare(program)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
    else {
      printErrorLines(errorForPeople(error))
      process.exitCode = exitCodeOf(error)
    }
  }
}

/** Commander would leave with 1 on a wrong command line, which its message quotes as it is; that is printed by then. */
function prepare(command: Command): void {
  command.exitOverride()
  command.configureOutput({
    writeOut: printText,
    writeErr: (help) => printErrorLines(help.trimEnd().split('\n')),
    outputError: (message) => printErrorLines([message.trimEnd()]),
  })
  for (const verb of command.commands) prepare(verb)
}

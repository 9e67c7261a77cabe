import { Argument, Command } from 'commander'
import { printText } from './terminal/print.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `attestd completion`; the script is generated from the verbs of the program that it is added to. */
export function completionVerb(): Command {
  const verb = new Command('completion').description(
    'Print a completion script: source <(attestd completion bash), or attestd completion fish | source.',
  )
  return verb
    .addArgument(new Argument('<shell>', 'for which shell').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => printText(SCRIPTS[shell](placesOf(verb.parent!))))
}

/** What may follow a verb: `queue` is followed by `failed`, `queue failed` by flags. */
interface Place {
  /** Words of the verb; empty for the program itself. */
  readonly path: string
  readonly words: string
  readonly flags: string
}

function placesOf(command: Command, path = ''): Place[] {
  const flags = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const words = [...command.commands.map((verb) => verb.name()), ...choices]
  const below = command.commands.flatMap((verb) => placesOf(verb, `${path} ${verb.name()}`.trim()))
  return [{ path, words: words.join(' '), flags: [...flags, '--help'].join(' ') }, ...below]
}

const quotedPaths = (places: readonly Place[]) => places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]))

const bash = (places: readonly Place[]) => `_attestd() {
  local path='' word words flags current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${quotedPaths(places).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${places.map(({ path, words, flags }) => `    '${path}') words='${words}' flags='${flags}' ;;`).join('\n')}
  esac
  [[ "$current" == -* ]] && words="$flags"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _attestd attestd
`

/** zsh runs completions of bash. */
const zsh = (places: readonly Place[]) =>
  `autoload -U +X compinit bashcompinit && compinit && bashcompinit\n${bash(places)}`

const fish = (places: readonly Place[]) => `function __attestd_at
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l longer (string trim -- "$path $word")
    contains -- $longer ${quotedPaths(places).join(' ')}; and set path $longer
  end
  test "$path" = "$argv[1]"
end
${places
  .flatMap(({ path, words, flags }) => [
    ...(words === '' ? [] : [`complete -c attestd -n "__attestd_at '${path}'" -fa '${words}'`]),
    `complete -c attestd -n "__attestd_at '${path}'; and string match -q -- '-*' (commandline -ct)" -a '${flags}'`,
  ])
  .join('\n')}
`

const SCRIPTS = { bash, zsh, fish } as const

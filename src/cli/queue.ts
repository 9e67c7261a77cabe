import { Command } from 'commander'

export function queueVerb(): Command {
  return new Command('queue')
}

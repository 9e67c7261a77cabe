import { Command } from 'commander'

export function scoresVerb(): Command {
  return new Command('scores')
}

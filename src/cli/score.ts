import { Command } from 'commander'

export function scoreVerb(): Command {
  return new Command('score')
}

import { Command } from 'commander'

export function initVerb(): Command {
  return new Command('init')
}

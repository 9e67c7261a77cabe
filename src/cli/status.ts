import { Command } from 'commander'

export function statusVerb(): Command {
  return new Command('status')
}

import { Command } from 'commander'

export function doctorVerb(): Command {
  return new Command('doctor')
}

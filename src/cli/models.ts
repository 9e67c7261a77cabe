import { Command } from 'commander'

export function modelsVerb(): Command {
  return new Command('models')
}

import type { Command } from 'commander'
import type { Services } from './system/services.ts'
import type { Terminal } from './terminal.ts'

/** What a subcommand is added to, and what it uses. */
export type CommandContext = {
  readonly program: Command
  readonly terminal: Terminal
  readonly services: Services
}

import { join } from 'node:path'
import { type Command, Option } from 'commander'
import {
  type AdministratorSettings,
  readAdministratorSettings,
} from '../administrator/administrator-settings.ts'
import type { Terminal } from '../terminal.ts'

export type AdministratorCommandOptions = {
  readonly dataDir: string
  /** The file of settings, when the person names one. */
  readonly settings?: string
  readonly json?: true
}

/** Adds what every command of an administrator understands. */
export function administratorCommand(command: Command): Command {
  return command
    .addOption(
      new Option('--data-dir <path>', 'data folder of the local system').default('.greeting'),
    )
    .option(
      '--settings <path>',
      'settings file of the administrator, for an environment without CLIENT_ID (default: administrator.env in the data folder)',
    )
    .option('--json', 'print JSON, also for failures')
}

/**
 * The administrator whom the options and the environment name.
 *
 * @throws {CommandFailure} badUsage, with all faults of the settings together.
 */
export function readAdministrator(
  { environment }: Terminal,
  { dataDir, settings }: AdministratorCommandOptions,
): Promise<AdministratorSettings> {
  return readAdministratorSettings(environment, settings ?? join(dataDir, 'administrator.env'))
}

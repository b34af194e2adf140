import { join } from 'node:path'
import { type Command, Option } from 'commander'
import {
  type AdministratorSettings,
  readAdministratorSettings,
} from '../administrator/administrator-settings.ts'
import type { Terminal } from '../terminal.ts'

export type AdministratorCommandOptions = {
  readonly dataDir: string
  /** The settings file that the person named. */
  readonly settings?: string
  readonly json?: true
}

/** Adds the options of every administrator command. */
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
 * The administrator of the options and the environment.
 *
 * @throws {CommandFailure} bad_usage, with all faults of the settings.
 */
export function readAdministrator(
  { environment }: Terminal,
  { dataDir, settings }: AdministratorCommandOptions,
): Promise<AdministratorSettings> {
  return readAdministratorSettings(environment, settings ?? join(dataDir, 'administrator.env'))
}

import { GraphRefusalError } from '@greeting/registrations/apply'
import { managementClientOf } from '../administrator/administrator-settings.ts'
import type { GraphClient } from '../administrator/graph-client.ts'
import { refusalText } from '../administrator/refusal-failure.ts'
import { CommandFailure } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import { type AdministratorCommandOptions, readAdministrator } from './administrator-command.ts'

/** The APIs of the identity provider for an administrator of the server, by their first path segment. */
type ManagementRoot = '/management' | '/lab'

/** Opens the management API of the identity provider as the administrator of the settings. */
export async function openManagement(
  terminal: Terminal,
  options: AdministratorCommandOptions,
  root: ManagementRoot = '/management',
): Promise<GraphClient> {
  const { err, stop } = terminal
  return managementClientOf(await readAdministrator(terminal, options), {
    root,
    signal: stop,
    onWait: (reason, durationMs) =>
      err(
        `The identity provider: ${reason}. Next attempt in ${(durationMs / 1000).toFixed(1)} s.\n`,
      ),
  })
}

/** Runs a request of the management API. A refusal becomes a failure of the command. */
export async function orCommandFailure<Value>(asked: Promise<Value>): Promise<Value> {
  return asked.catch((error) => {
    if (!(error instanceof GraphRefusalError)) throw error
    throw new CommandFailure('failed', refusalText(error), { cause: error })
  })
}

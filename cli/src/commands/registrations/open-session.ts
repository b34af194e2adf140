import { RegistrationsSession } from '../../registrations/session.ts'
import type { Terminal } from '../../terminal.ts'
import { type AdministratorCommandOptions, readAdministrator } from '../administrator-command.ts'

/** Opens the directory as the administrator whom the settings name. */
export async function openSession(
  terminal: Terminal,
  options: AdministratorCommandOptions,
): Promise<RegistrationsSession> {
  return new RegistrationsSession(await readAdministrator(terminal, options), terminal)
}

import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { readAdministratorSettings } from '../../registrations/administrator-settings.ts'
import type { PaintLine } from '../../registrations/planning/plan-text.ts'
import { RegistrationsSession } from '../../registrations/session.ts'
import type { Colour, Terminal } from '../../terminal.ts'

export type RegistrationsOptions = {
  readonly dataDir: string
  readonly settings?: string
  readonly json?: true
}

/** Adds what every command that speaks to the directory understands. */
export function registrationsCommand(command: Command): Command {
  return command
    .addOption(new Option('--data-dir <path>', 'folder of the local system').default('.greeting'))
    .option(
      '--settings <path>',
      "file of the administrator's settings, read when the environment sets no CLIENT_ID (default: administrator.env in the data folder)",
    )
    .option('--json', 'print JSON, failures included')
}

/** Opens the directory as the administrator whom the settings name. */
export async function openSession(
  terminal: Terminal,
  { dataDir, settings: named }: RegistrationsOptions,
): Promise<RegistrationsSession> {
  const file = named ?? join(dataDir, 'administrator.env')
  const settings = await readAdministratorSettings(terminal.environment, file)
  return new RegistrationsSession(settings, terminal)
}

const colours = { '+': 'green', '-': 'red', '~': 'yellow' } as const satisfies Record<
  string,
  Colour
>

/** Colours for the lines of a diff, where colours are wanted. */
export const paintOf =
  ({ paint }: Terminal): PaintLine =>
  (sign, text) =>
    paint(colours[sign], text)

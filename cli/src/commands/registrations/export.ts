import type { Command } from 'commander'
import { CommandFailure } from '../../command-failure.ts'
import { readWholeDirectory } from '../../registrations/apply/read-directory.ts'
import { exportRegistrations } from '../../registrations/planning/export.ts'
import type { Terminal } from '../../terminal.ts'
import { type AdministratorCommandOptions, administratorCommand } from '../administrator-command.ts'
import { openSession } from './open-session.ts'

type Options = AdministratorCommandOptions & { readonly portable?: true }

/** `greeting registrations export`: prints the directory as a registrations file. */
export function addExportCommand(registrations: Command, terminal: Terminal): void {
  administratorCommand(registrations.command('export'))
    .description('print the directory as a registrations file')
    .argument('[applications...]', 'names or IDs of the applications (default: all)')
    .option('--portable', 'omit the tenant ID and the application IDs')
    .action(async (names: string[], options: Options) => {
      const session = await openSession(terminal, options)
      const state = await readWholeDirectory(session.graph, session.settings.TENANT_ID)
      for (const name of names)
        if (!state.applications.some((one) => [one.displayName, one.appId].includes(name)))
          throw new CommandFailure('failed', `The tenant has no application "${name}".`)
      const { portable = false } = options
      const { file, notes } = exportRegistrations(state, { names, portable })
      terminal.out(`${JSON.stringify(file, undefined, 2)}\n`)
      for (const note of notes) terminal.err(`${note}\n`)
    })
}

import { registrationsJsonSchema } from '@greeting/registrations'
import { exportRegistrations } from '@greeting/registrations/planning'
import type { Command } from 'commander'
import { CommandFailure } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'
import { addApplyCommand } from './apply.ts'
import { addExplainCommand } from './explain.ts'
import {
  openSession,
  type RegistrationsCommandOptions,
  registrationsCommand,
} from './open-session.ts'
import { addPlanCommand } from './plan.ts'

/**
 * `greeting registrations`: the six registration steps with a file, here and in Microsoft Entra ID.
 */
export function addRegistrationsCommands(program: Command, terminal: Terminal): void {
  const registrations = program
    .command('registrations')
    .description('register APIs and clients with a reviewed file')
  addPlanCommand(registrations, terminal)
  addApplyCommand(registrations, terminal)
  addExportCommand(registrations, terminal)
  addExplainCommand(registrations, terminal)
  addSchemaCommand(registrations, terminal)
}

type Options = RegistrationsCommandOptions & { readonly portable?: true }

/** `greeting registrations export`: prints the directory as a registrations file. */
function addExportCommand(registrations: Command, terminal: Terminal): void {
  registrationsCommand(registrations.command('export'))
    .description('print the directory as a registrations file')
    .argument('[applications...]', 'names or IDs of the applications (default: all)')
    .option('--portable', 'omit the tenant ID and the application IDs')
    .action(async (names: string[], options: Options) => {
      const { session, progress } = await openSession(terminal, options)
      const state = await session.readAll()
      progress.end()
      const known = new Set(state.applications.flatMap((one) => [one.displayName, one.appId]))
      for (const name of names)
        if (!known.has(name))
          throw new CommandFailure('failed', `The tenant has no application "${name}"`)
      const { portable = false } = options
      const { file, notes } = exportRegistrations(state, { names, portable })
      terminal.out(`${JSON.stringify(file, undefined, 2)}\n`)
      for (const note of notes) terminal.err(`${note}\n`)
    })
}

/** `greeting registrations schema`: prints the JSON Schema of the file, for editors. */
function addSchemaCommand(registrations: Command, terminal: Terminal): void {
  registrations
    .command('schema')
    .description('print the JSON Schema of the registrations file')
    .action(() => terminal.out(`${JSON.stringify(registrationsJsonSchema(), undefined, 2)}\n`))
}

import type { Command } from 'commander'
import type { Terminal } from '../../terminal.ts'
import { addApplyCommand } from './apply.ts'
import { addExplainCommand } from './explain.ts'
import { addExportCommand } from './export.ts'
import { addPlanCommand } from './plan.ts'
import { addSchemaCommand } from './schema.ts'

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

import { registrationsJsonSchema } from '@greeting/registrations'
import type { Command } from 'commander'
import type { Terminal } from '../../terminal.ts'

/** `greeting registrations schema`: prints the JSON Schema of the file, for editors. */
export function addSchemaCommand(registrations: Command, terminal: Terminal): void {
  registrations
    .command('schema')
    .description('print the JSON Schema of the registrations file')
    .action(() => terminal.out(`${JSON.stringify(registrationsJsonSchema(), undefined, 2)}\n`))
}

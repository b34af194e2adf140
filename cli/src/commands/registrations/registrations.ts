// Folder: The commands of `greeting registrations`.

import { registrationsJsonSchema } from '@greeting/registrations'
import type { Located } from '@greeting/registrations/directory'
import { exportRegistrations, planText } from '@greeting/registrations/planning'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-context.ts'
import { CommandFailure, SilentExit } from '../../exit-codes.ts'
import { type LoadedFile, loadFile, registrationsIn } from '../../registrations/load-file.ts'
import { clientsWithoutFile, fileOfSecret } from '../../registrations/secret-files.ts'
import { openJournal } from '../../system/apply-journal.ts'
import type { Terminal } from '../../terminal.ts'
import { addApplyCommand } from './apply.ts'
import { addExplainCommand } from './explain.ts'
import {
  openSession,
  paintOf,
  type RegistrationsCommandOptions,
  registrationsCommand,
} from './open-session.ts'
import { addRemoveCommand } from './remove.ts'

type Options = RegistrationsCommandOptions & { readonly detailedExitCode?: true }

/** `greeting registrations plan`: shows what `apply` would change, and changes nothing. */
function addPlanCommand(registrations: Command, terminal: Terminal): void {
  registrationsCommand(registrations.command('plan'))
    .description('show the changes that apply would make, and the effects on clients')
    .argument('<file>', 'registrations file')
    .option('--detailed-exit-code', 'exit with 6 when there are changes')
    .action(async (path: string, options: Options) => {
      const { session, progress } = await openSession(terminal, options)
      const loaded = await loadFile(path)
      progress.begin(path, registrationsIn(loaded.file))
      const { TENANT_ID: tenantId, GRAPH_URL: graphUrl } = session.settings
      const journal = await openJournal(options.dataDir, loaded, tenantId)
      const { located, ...plan } = await session.plan(loaded, { resume: journal.resume })
      progress.end()
      const { changes, faults } = plan
      if (options.json || faults.length === 0)
        terminal.out(
          options.json
            ? `${JSON.stringify({ tenantId, graphUrl, ...plan })}\n`
            : `${path} and the tenant ${tenantId} of ${graphUrl}\n\n${planText(plan, paintOf(terminal))}${withoutFile(loaded, located, options)}`,
        )
      if (faults.length > 0)
        throw new CommandFailure('failed', `${path} cannot be applied: ${faults.join(' ')}`)
      if (options.detailedExitCode && changes.length > 0) throw new SilentExit('changes_pending')
    })
}

/** What to do about clients that have a secret, and no file of it. Empty if there are none. */
function withoutFile({ file }: LoadedFile, located: readonly Located[], { dataDir }: Options) {
  const isHolder = ({ application }: Located) => application?.passwordCredentials.length
  const holders = new Set(located.filter(isHolder).map(({ name }) => name))
  const missing = clientsWithoutFile(file, fileOfSecret(dataDir, file))
  const names = missing.filter((name) => holders.has(name)).join('", "')
  return (
    names &&
    `\nA secret, but no file of it here: "${names}". If a text is lost, use apply --rotate.\n`
  )
}

/**
 * `greeting registrations`: the six registration steps with a file, here and in Microsoft Entra ID.
 */
export function addRegistrationsCommands({ program, terminal }: CommandContext): void {
  const registrations = program
    .command('registrations')
    .description('register APIs and clients with a reviewed file')
  addPlanCommand(registrations, terminal)
  addApplyCommand(registrations, terminal)
  addExportCommand(registrations, terminal)
  addExplainCommand(registrations, terminal)
  addRemoveCommand(registrations, terminal)
  addSchemaCommand(registrations, terminal)
}

type ExportOptions = RegistrationsCommandOptions & { readonly portable?: true }

/** `greeting registrations export`: prints the directory as a registrations file. */
function addExportCommand(registrations: Command, terminal: Terminal): void {
  registrationsCommand(registrations.command('export'))
    .description('print the directory as a registrations file')
    .argument('[applications...]', 'names or IDs of the applications (default: all)')
    .option('--portable', 'omit the tenant ID and the application IDs')
    .action(async (names: string[], options: ExportOptions) => {
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

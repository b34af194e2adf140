import { planText } from '@greeting/registrations/planning'
import type { Command } from 'commander'
import { CommandFailure, SilentExit } from '../../exit-codes.ts'
import { loadFile, registrationsIn } from '../../registrations/load-file.ts'
import { RegisteredApplications } from '../../system/registered-applications.ts'
import type { Terminal } from '../../terminal.ts'
import {
  openSession,
  paintOf,
  type RegistrationsCommandOptions,
  registrationsCommand,
} from './open-session.ts'

type Options = RegistrationsCommandOptions & { readonly detailedExitCode?: true }

/** `greeting registrations plan`: shows what `apply` would change, and changes nothing. */
export function addPlanCommand(registrations: Command, terminal: Terminal): void {
  registrationsCommand(registrations.command('plan'))
    .description('show the changes that apply would make, and the effects on clients')
    .argument('<file>', 'registrations file')
    .option('--detailed-exit-code', 'exit with 6 when there are changes')
    .action(async (path: string, options: Options) => {
      const { session, progress } = await openSession(terminal, options)
      const loaded = await loadFile(path)
      progress.begin(path, registrationsIn(loaded.file))
      const confirmed = await new RegisteredApplications(options.dataDir).read()
      const { located: _, ...plan } = await session.plan(loaded, { confirmed })
      progress.end()
      const { changes, faults } = plan
      const { TENANT_ID: tenantId, GRAPH_URL: graphUrl } = session.settings
      terminal.out(
        options.json
          ? `${JSON.stringify({ tenantId, graphUrl, ...plan })}\n`
          : `${path} and the tenant ${tenantId} of ${graphUrl}\n\n${planText(plan, paintOf(terminal))}`,
      )
      if (faults.length > 0)
        throw new CommandFailure('failed', `${path} cannot be applied: ${faults.join(' ')}`)
      if (options.detailedExitCode && changes.length > 0) throw new SilentExit('changes_pending')
    })
}

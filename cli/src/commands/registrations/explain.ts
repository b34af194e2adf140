import { readDirectory } from '@greeting/registrations/apply'
import {
  carriedRoles,
  explain,
  explanationText,
  locate,
  locateResource,
} from '@greeting/registrations/planning'
import type { Command } from 'commander'
import type { Terminal } from '../../terminal.ts'
import { type AdministratorCommandOptions, administratorCommand } from '../administrator-command.ts'
import { openSession } from './open-session.ts'

type Options = AdministratorCommandOptions & { readonly client: string; readonly api: string }

/**
 * `greeting registrations explain`: shows the roles of a token, and the missing registration steps.
 */
export function addExplainCommand(registrations: Command, terminal: Terminal): void {
  administratorCommand(registrations.command('explain'))
    .description('show the roles that a token would contain, and the missing registration steps')
    .requiredOption('--client <name>', 'name of the client')
    .requiredOption('--api <name>', 'name of the API')
    .action(async (options: Options) => {
      const { client, api, json } = options
      const { session } = await openSession(terminal, options)
      const { TENANT_ID } = session.settings
      const state = await readDirectory(session.graph, TENANT_ID, { displayNames: [client, api] })
      const explanation = explain(
        state,
        locate(state, { displayName: client }),
        locateResource(state, api),
        new Date(),
      )
      terminal.out(
        json
          ? `${JSON.stringify({ ...explanation, tokenRoles: carriedRoles(explanation) })}\n`
          : explanationText(explanation),
      )
    })
}

import {
  type FoundApplication,
  findApplications,
  readExplained,
  similarApplications,
} from '@greeting/registrations/apply'
import {
  carriedRoles,
  day,
  explain,
  explanationText,
  isComplete,
  locateById,
  missingSteps,
} from '@greeting/registrations/planning'
import type { Command } from 'commander'
import type { GraphClient } from '../../administrator/graph-client.ts'
import { CommandFailure, SilentExit } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'
import { visibleText } from '../../text/visible-text.ts'
import { type AdministratorCommandOptions, administratorCommand } from '../administrator-command.ts'
import { openSession } from './open-session.ts'

type Options = AdministratorCommandOptions & { readonly client: string; readonly api: string }

/**
 * `greeting registrations explain`: shows the roles of a token, and the missing registration steps.
 */
export function addExplainCommand(registrations: Command, terminal: Terminal): void {
  administratorCommand(registrations.command('explain'))
    .description('show the roles that a token would contain, and the missing registration steps')
    .requiredOption('--client <name>', 'name, ID or identifier URI of the client')
    .requiredOption('--api <name>', 'name, ID or identifier URI of the API')
    .action(async (options: Options) => {
      const { session } = await openSession(terminal, options)
      const { graph, settings } = session
      const clientId = await idOf(graph, 'client', options.client)
      const apiId = await idOf(graph, 'api', options.api)
      const now = new Date()
      const asked = { clientId, apiIds: [apiId], now }
      const state = await readExplained(graph, settings.TENANT_ID, asked)
      const [client, api] = [locateById(state, clientId), locateById(state, apiId)]
      const explanation = explain(state, client, api, now)
      const missing = missingSteps(explanation).map(({ step }) => step)
      const tokenRoles = carriedRoles(explanation)
      terminal.out(
        options.json
          ? `${JSON.stringify({ ...explanation, clientId, apiId, tokenRoles, missingSteps: missing })}\n`
          : explanationText(explanation),
      )
      if (!isComplete(explanation)) throw new SilentExit('not_allowed')
    })
}

/**
 * The application ID of the one application that a text names.
 *
 * @throws {CommandFailure} bad_usage when none or several match, with their names and IDs.
 */
async function idOf(graph: GraphClient, option: 'client' | 'api', text: string): Promise<string> {
  const found = await findApplications(graph, text)
  const [first] = found
  if (first !== undefined && found.length === 1) return first.applicationId
  if (first !== undefined) {
    const message = `${found.length} applications match "${text}":\n${lines(found)}`
    const remedy = `Use the application ID of the right one, for example --${option} ${first.applicationId}`
    throw new CommandFailure('bad_usage', message, { remedy })
  }
  const similar = await similarApplications(graph, text)
  const suggestion = similar.length === 0 ? '' : `\nDid you mean:\n${lines(similar)}`
  const message = `No application of the tenant matches "${text}".${suggestion}`
  const remedy = `--${option} takes a name, an application ID, an object ID or an identifier URI.`
  throw new CommandFailure('bad_usage', message, { remedy })
}

const lines = (found: readonly FoundApplication[]) =>
  found
    .map(({ applicationId, displayName, createdDateTime: since }) =>
      visibleText(`  ${applicationId}  "${displayName}"${since ? `, since ${day(since)}` : ''}`),
    )
    .join('\n')

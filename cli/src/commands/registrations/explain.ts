import { dirname, join } from 'node:path'
import { ClientError, type ClientFailure } from '@greeting/client'
import {
  type FoundApplication,
  findApplications,
  readExplained,
  similarApplications,
} from '@greeting/registrations/apply'
import { day, locateById } from '@greeting/registrations/directory'
import {
  carriedRoles,
  explain,
  explanationText,
  isComplete,
  missingSteps,
  type RoleState,
} from '@greeting/registrations/explaining'
import type { Command } from 'commander'
import {
  type AdministratorSettings,
  graphClientOf,
  ownLocalAdministrator,
} from '../../administrator/administrator-settings.ts'
import type { GraphClient } from '../../administrator/graph-client.ts'
import {
  type ClientSettings,
  defaultSettingsFile,
  isLoopback,
} from '../../client/client-settings.ts'
import type { LocalSteps } from '../../doctor/probes.ts'
import { CommandFailure, SilentExit } from '../../exit-codes.ts'
import { DataFolder } from '../../system/data-folder.ts'
import type { Terminal } from '../../terminal.ts'
import { shellQuote, visibleText } from '../../text/visible-text.ts'
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
      const explanation = await explained(graph, settings, clientId, apiId)
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

async function explained(
  graph: GraphClient,
  { TENANT_ID }: AdministratorSettings,
  clientId: string,
  apiId: string,
) {
  const now = new Date()
  const state = await readExplained(graph, TENANT_ID, { clientId, apiIds: [apiId], now })
  return explain(state, locateById(state, clientId), locateById(state, apiId), now)
}

type RoleMissing = Extract<ClientFailure, { code: 'role_missing' }>

/** The sentence about the registration step that a role lacks. */
const sentences: Readonly<Record<RoleState | 'not_declared', (role: string) => string>> = {
  not_declared: (role) => `Missing step: Application roles. The API does not declare ${role}.`,
  disabled: (role) => `Missing step: Application roles. ${role} is disabled.`,
  not_requested: (role) => `Missing step: Permissions. The client does not request ${role}.`,
  not_inheritable: (role) =>
    `Missing step: Admin consent. The blueprint has ${role}, but its agents do not inherit it.`,
  not_granted: (role) => `Missing step: Admin consent. ${role} is requested, but not granted.`,
  carried: (role) => `The client has ${role} now. A new token contains it.`,
}

const maxWaitMs = 3_000

/** The error with the registration step that is missing, and the command that shows it. */
export async function withMissingStep(
  error: RoleMissing,
  settings: ClientSettings,
  greeting: string,
  stop: AbortSignal,
): Promise<RoleMissing> {
  const { message, details, remedy } = error
  const { role } = details
  const steps = await localSteps(role ? [role] : [], settings, greeting, stop)
  if (steps === undefined) return error
  const step = steps.sentences[role ?? ''] ?? remedy
  const options = { cause: error, remedy: `${step}\nShow all steps: ${steps.command}` }
  return new ClientError('role_missing', message, details, options)
}

/**
 * The missing registration steps of roles, if the identity provider is the one of a data folder on
 * this machine; undefined otherwise.
 */
export async function localSteps(
  roles: readonly string[],
  settings: ClientSettings,
  greeting: string,
  stop: AbortSignal,
): Promise<LocalSteps | undefined> {
  const { AUTH_URL, CLIENT_ID, AGENT_ID, scope, file = defaultSettingsFile } = settings
  const client = AGENT_ID ?? CLIENT_ID
  // The command "registrations apply" writes the settings of a client into the subfolder.
  const folder = dirname(file).replace(/[\\/]secrets$/, '')
  const administrator = await ownLocalAdministrator(join(folder, 'administrator.env'))
  if (administrator === undefined || !isLoopback(AUTH_URL)) return undefined
  const api = scope.replace(/\/\.default$/, '')
  const words = ['--client', client, '--api', api]
  if (folder !== dirname(defaultSettingsFile)) words.push('--data-dir', folder)
  const command = `${greeting} registrations explain ${words.map((word) => shellQuote(word)).join(' ')}`
  // The secret of the administrator is for the server of this folder only. While no system runs here,
  // another program may listen at its port.
  const isServer = [administrator.AUTH_URL, administrator.GRAPH_URL].every(
    (url) => new URL(url).origin === new URL(AUTH_URL).origin,
  )
  const sentences =
    roles.length > 0 && isServer && new DataFolder(folder).isInUse()
      ? await missingSentences(administrator, { client, api, roles }, stop)
      : {}
  return { sentences, command }
}

async function missingSentences(
  administrator: AdministratorSettings,
  asked: { readonly client: string; readonly api: string; readonly roles: readonly string[] },
  stop: AbortSignal,
): Promise<LocalSteps['sentences']> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(maxWaitMs)])
  const graph = graphClientOf(administrator, { signal })
  try {
    const apiId = await idOf(graph, 'api', asked.api)
    const explanation = await explained(graph, administrator, asked.client, apiId)
    const stateOf = (role: string) =>
      explanation.roles.find(({ value }) => value === role)?.state ?? 'not_declared'
    return Object.fromEntries(asked.roles.map((role) => [role, sentences[stateOf(role)](role)]))
  } catch {
    // The message about the role is more important than a fault of this search.
    return {}
  }
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
  const message = `No application in this tenant matches "${text}".${suggestion}`
  const remedy = `--${option} takes a name, an application ID, an object ID or an identifier URI.`
  throw new CommandFailure('bad_usage', message, { remedy })
}

const lines = (found: readonly FoundApplication[]) =>
  found
    .map(({ applicationId, displayName, createdDateTime: since }) =>
      visibleText(`  ${applicationId}  "${displayName}"${since ? `, since ${day(since)}` : ''}`),
    )
    .join('\n')

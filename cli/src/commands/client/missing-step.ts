import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ClientError, type ClientFailure, isClientFailure } from '@greeting/client'
import type { RoleState } from '@greeting/registrations/planning'
import { type ClientSettings, defaultSettingsFile } from '../../client/client-settings.ts'
import { shellQuote } from '../../text/visible-text.ts'

type RoleMissing = Extract<ClientFailure, { code: 'role_missing' }>

/** The sentence about the registration step that a role lacks. */
const sentences: Readonly<Record<RoleState | 'not_declared', (role: string) => string>> = {
  not_declared: (role) => `Missing step: Application roles. The API does not declare ${role}.`,
  disabled: (role) => `Missing step: Application roles. ${role} is disabled.`,
  not_requested: (role) => `Missing step: Permissions. The client does not request ${role}.`,
  not_granted: (role) => `Missing step: Admin consent. ${role} is requested, but not granted.`,
  carried: (role) => `The client has ${role} now. A new token contains it.`,
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const maxWaitMs = 3_000

/**
 * The error with the registration step that is missing, and the command that shows it, if the identity
 * provider is the one of a data folder on this machine. Other errors are returned unchanged.
 */
export async function withMissingStep(
  error: unknown,
  settings: ClientSettings,
  stop: AbortSignal,
): Promise<unknown> {
  if (!isClientFailure(error) || error.code !== 'role_missing') return error
  const { AUTH_URL, CLIENT_ID, scope, file = defaultSettingsFile } = settings
  const folder = dirname(file)
  const administratorFile = join(folder, 'administrator.env')
  if (!loopback.test(new URL(AUTH_URL).hostname) || !existsSync(administratorFile)) return error
  const api = scope.replace(/\/\.default$/, '')
  const words = ['--client', CLIENT_ID, '--api', api]
  if (folder !== dirname(defaultSettingsFile)) words.push('--data-dir', folder)
  const command = `greeting registrations explain ${words.map(shellQuote).join(' ')}`
  const signal = AbortSignal.any([stop, AbortSignal.timeout(maxWaitMs)])
  // The message about the role is more important than a fault of this search.
  const step = await missingStep(error, settings, administratorFile, signal).catch(() => undefined)
  const { message, details, remedy } = error as RoleMissing
  const options = { cause: error, remedy: `${step ?? remedy}\nShow all steps: ${command}` }
  return new ClientError('role_missing', message, details, options)
}

async function missingStep(
  { details: { role } }: RoleMissing,
  { AUTH_URL, CLIENT_ID, scope }: ClientSettings,
  administratorFile: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Loaded for this failure only: a job that runs each minute pays for each module.
  const { readAdministratorSettings, graphClientOf } = await import(
    '../../administrator/administrator-settings.ts'
  )
  const { findApplications, readExplained } = await import('@greeting/registrations/apply')
  const { explain, locateById } = await import('@greeting/registrations/planning')
  const administrator = await readAdministratorSettings({}, administratorFile)
  // Another server has another directory.
  if (role === undefined || new URL(administrator.AUTH_URL).origin !== new URL(AUTH_URL).origin)
    return undefined
  const graph = graphClientOf(administrator, { signal })
  const [api] = await findApplications(graph, scope.replace(/\/\.default$/, ''))
  if (api === undefined) return undefined
  const apiId = api.applicationId
  const now = new Date()
  const asked = { clientId: CLIENT_ID, apiIds: [apiId], now }
  const state = await readExplained(graph, administrator.TENANT_ID, asked)
  const { roles } = explain(state, locateById(state, CLIENT_ID), locateById(state, apiId), now)
  return sentences[roles.find(({ value }) => value === role)?.state ?? 'not_declared'](role)
}

import { credentialsOf, type HeldCredential, validCredentials } from './directory/credentials.ts'
import type { Application, AppRole, DirectoryState } from './directory/directory-state.ts'
import { type Located, rolesOf } from './directory/locate.ts'
import type { Explanation, Refusal, RoleState, StepResult } from './explanation.ts'
import { assignmentsOf } from './steps/plan-consents.ts'
import { day } from './steps/plan-credentials.ts'

/**
 * Determines whether a client would get a token for an API, with which roles, and which
 * registration steps are missing. It reads the directory and requests no token.
 */
export function explain(
  state: DirectoryState,
  client: Located,
  api: Located,
  now: Date,
): Explanation {
  const roles = roleStates(state, client, api)
  const steps = [
    apiRegistration(api),
    applicationRoles(api),
    clientRegistration(client),
    permissions(client, api, roles),
    adminConsent(roles),
    clientSecret(client, now),
  ]
  const refusal = refusalOf(steps) ?? missingAssignment(state, client, api)
  return { client: client.name, api: api.name, steps, roles, ...(refusal && { refusal }) }
}

// A token request is checked in this order: the client, its credential, then the API.
const refusalOrder = ['Client registration', 'Client secret', 'API registration'] as const

const refusalOf = (steps: readonly StepResult[]) =>
  refusalOrder.map((step) => steps.find((result) => result.step === step)?.refusal).find(Boolean)

function apiRegistration(api: Located): StepResult {
  const step = 'API registration'
  const { application, servicePrincipal } = api
  const refused = (detail: string, aadstsCode = 500011): StepResult => ({
    step,
    state: 'missing',
    detail,
    refusal: { aadstsCode, reason: detail },
  })
  if (api.fault) return refused(api.fault)
  if (servicePrincipal === undefined)
    return refused(
      application ? 'it has no service principal in this tenant' : 'the API is not registered',
    )
  if (servicePrincipal.accountEnabled === false)
    return refused('its service principal is disabled', 500014)
  const uris = application?.identifierUris ?? servicePrincipal.servicePrincipalNames
  if (uris.length === 0) return refused('it has no identifier URI')
  return { step, state: 'done', detail: uris.join(', ') }
}

function applicationRoles(api: Located): StepResult {
  const step = 'Application roles'
  const declared = rolesOf(api).filter(isForApplications)
  if (declared.length === 0) return { step, state: 'missing', detail: 'it declares no role' }
  const disabled = declared.filter(({ isEnabled }) => !isEnabled).map(nameOf)
  if (disabled.length === 0) return { step, state: 'done', detail: declared.map(nameOf).join(', ') }
  const state = disabled.length === declared.length ? 'missing' : 'partly'
  return { step, state, detail: `disabled: ${disabled.join(', ')}` }
}

function clientRegistration(client: Located): StepResult {
  const step = 'Client registration'
  const { application, servicePrincipal } = client
  const refused = (detail: string, aadstsCode = 700016): StepResult => ({
    step,
    state: 'missing',
    detail,
    refusal: { aadstsCode, reason: detail },
  })
  if (client.fault) return refused(client.fault)
  if (application === undefined && servicePrincipal === undefined)
    return refused('the client is not registered')
  if (servicePrincipal === undefined)
    return refused('it has no service principal in this tenant', 7000229)
  if (servicePrincipal.accountEnabled === false)
    return refused('its service principal is disabled', 7000112)
  const { appId } = servicePrincipal
  return { step, state: 'done', detail: application ? appId : `${appId}, of another tenant` }
}

function permissions(client: Located, api: Located, roles: Explanation['roles']): StepResult {
  const step = 'Permissions'
  const requested = requestedIds(client.application, api)
  const declared = rolesOf(api).filter(isForApplications)
  const names = declared.filter(({ id }) => requested.includes(id)).map(nameOf)
  if (names.length > 0) return { step, state: 'done', detail: names.join(', ') }
  const granted = roles.filter(isGranted).map(({ value }) => value)
  if (granted.length > 0)
    return { step, state: 'done', detail: `granted without a request: ${granted.join(', ')}` }
  if (isOfAnotherTenant(client)) return { step, state: 'unknown', detail: ofAnotherTenant }
  return { step, state: 'missing', detail: 'it requests no role' }
}

/** A client of another tenant has only a service principal in this one. */
const isOfAnotherTenant = ({ application, servicePrincipal }: Located) =>
  application === undefined && servicePrincipal !== undefined
const ofAnotherTenant = 'only the tenant of the application shows it'

function adminConsent(roles: Explanation['roles']): StepResult {
  const step = 'Admin consent'
  const waiting = roles.filter(({ state }) => state === 'not_granted').map(({ value }) => value)
  const granted = roles.filter(isGranted)
  if (waiting.length > 0) {
    const detail = `requested but not granted: ${waiting.join(', ')}`
    return { step, state: granted.length > 0 ? 'partly' : 'missing', detail }
  }
  if (granted.length === 0) return { step, state: 'missing', detail: 'no role is granted' }
  return { step, state: 'done', detail: granted.map(({ value }) => value).join(', ') }
}

function clientSecret(client: Located, now: Date): StepResult {
  const step = 'Client secret'
  const refused = (detail: string, aadstsCode: number): StepResult => ({
    step,
    state: 'missing',
    detail,
    refusal: { aadstsCode, reason: detail },
  })
  const valid = latestFirst(validCredentials(client, now))
  const [best] = [...valid.filter(({ kind }) => kind === 'secret'), ...valid]
  if (best !== undefined)
    return { step, state: 'done', detail: `${best.kind}, valid until ${day(best.endDateTime)}` }
  if ((client.application?.federatedIdentityCredentials.length ?? 0) > 0)
    return { step, state: 'done', detail: 'federated credential' }
  if (isOfAnotherTenant(client)) return { step, state: 'unknown', detail: ofAnotherTenant }
  const [latest] = latestFirst(credentialsOf(client))
  if (latest === undefined) return refused('it has no credential', 7000215)
  if (latest.endDateTime <= now)
    return refused(`the last one ended on ${day(latest.endDateTime)}`, 7000222)
  return refused('none is valid yet', 7000215)
}

const latestFirst = (credentials: readonly HeldCredential[]) =>
  credentials.toSorted((a, b) => +b.endDateTime - +a.endDateTime)

function roleStates(state: DirectoryState, client: Located, api: Located): Explanation['roles'] {
  const requested = requestedIds(client.application, api)
  const granted = assignmentsOf(client, state)
    .filter(({ resourceId }) => resourceId === api.servicePrincipal?.id)
    .map(({ appRoleId }) => appRoleId)
  const declared = rolesOf(api).filter(isForApplications)
  const stateOf = (role: AppRole): RoleState => {
    if (granted.includes(role.id)) return role.isEnabled ? 'carried' : 'disabled'
    return requested.includes(role.id) ? 'not_granted' : 'not_requested'
  }
  return declared.map((role) => ({ value: nameOf(role), state: stateOf(role) }))
}

function missingAssignment(
  state: DirectoryState,
  client: Located,
  { servicePrincipal }: Located,
): Refusal | undefined {
  if (!servicePrincipal?.appRoleAssignmentRequired) return undefined
  const isAssigned = assignmentsOf(client, state).some(
    ({ resourceId }) => resourceId === servicePrincipal.id,
  )
  if (isAssigned) return undefined
  const reason = 'the API requires an assignment, and the client has none'
  return { aadstsCode: 501051, reason }
}

function requestedIds(client: Application | undefined, { application, servicePrincipal }: Located) {
  const appId = application?.appId ?? servicePrincipal?.appId
  return (client?.requiredResourceAccess ?? [])
    .filter(({ resourceAppId }) => resourceAppId === appId)
    .flatMap(({ resourceAccess }) => resourceAccess)
    .filter(({ type }) => type === 'Role')
    .map(({ id }) => id)
}

const isGranted = ({ state }: Explanation['roles'][number]) =>
  state === 'carried' || state === 'disabled'
const isForApplications = ({ allowedMemberTypes }: AppRole) =>
  allowedMemberTypes.includes('Application')
const nameOf = ({ value, id }: AppRole) => value ?? id

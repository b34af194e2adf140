import type { Application, AppRole, DirectoryState } from './directory-state.ts'
import type { Explanation, Finding, Refusal, RoleFate } from './explanation.ts'
import { type Located, rolesOf } from './locate.ts'
import { assignmentsOf } from './plan-consents.ts'
import { day } from './plan-secrets.ts'

// The directory dates a new credential by its own clock, which may be ahead of ours.
const clockToleranceMs = 300_000

/**
 * Says whether a client would get a token for an API, with which roles, and which of the six acts
 * is missing. The directory is only looked at: no token is asked for.
 */
export function explain(
  state: DirectoryState,
  client: Located,
  api: Located,
  now: Date,
): Explanation {
  const roles = fatesOf(state, client, api)
  const findings = [
    apiRegistration(api),
    applicationRoles(api),
    clientRegistration(client),
    permissions(client, api),
    adminConsent(roles),
    clientSecret(client, now),
  ]
  const refusal = refusalOf(findings) ?? assignmentDemanded(state, client, api)
  return { client: client.name, api: api.name, findings, roles, ...(refusal && { refusal }) }
}

// The order in which a token request is judged: the client, its credential, then the API.
const judged = ['Client registration', 'Client secret', 'API registration'] as const

const refusalOf = (findings: readonly Finding[]) =>
  judged.map((act) => findings.find((finding) => finding.act === act)?.refusal).find(Boolean)

function apiRegistration(api: Located): Finding {
  const act = 'API registration'
  const { application, servicePrincipal } = api
  const refused = (detail: string, aadstsCode = 500011): Finding => ({
    act,
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
    return refused('its service principal is disabled', 50001)
  const uris = application?.identifierUris ?? servicePrincipal.servicePrincipalNames
  if (uris.length === 0) return refused('it has no identifier URI to request a token for')
  return { act, state: 'done', detail: uris.join(', ') }
}

function applicationRoles(api: Located): Finding {
  const act = 'Application roles'
  const declared = rolesOf(api).filter(isForApplications)
  if (declared.length === 0) return { act, state: 'missing', detail: 'no role is declared' }
  const disabled = declared.filter(({ isEnabled }) => !isEnabled).map(nameOf)
  if (disabled.length === 0) return { act, state: 'done', detail: declared.map(nameOf).join(', ') }
  const state = disabled.length === declared.length ? 'missing' : 'partly'
  return { act, state, detail: `disabled: ${disabled.join(', ')}` }
}

function clientRegistration(client: Located): Finding {
  const act = 'Client registration'
  const { application, servicePrincipal } = client
  const refused = (detail: string, aadstsCode = 700016): Finding => ({
    act,
    state: 'missing',
    detail,
    refusal: { aadstsCode, reason: detail },
  })
  if (client.fault) return refused(client.fault)
  if (application === undefined) return refused('the client is not registered')
  if (servicePrincipal === undefined) return refused('it has no service principal in this tenant')
  if (servicePrincipal.accountEnabled === false)
    return refused('its service principal is disabled', 7000112)
  return { act, state: 'done', detail: application.appId }
}

function permissions({ application }: Located, api: Located): Finding {
  const act = 'Permissions'
  const requested = requestedIds(application, api)
  const declared = rolesOf(api).filter(isForApplications)
  const names = declared.filter(({ id }) => requested.includes(id)).map(nameOf)
  if (names.length === 0) return { act, state: 'missing', detail: 'no role is requested' }
  return { act, state: 'done', detail: names.join(', ') }
}

function adminConsent(roles: Explanation['roles']): Finding {
  const act = 'Admin consent'
  const waiting = roles.filter(({ fate }) => fate === 'not granted').map(({ value }) => value)
  const granted = roles.filter(({ fate }) => fate === 'carried' || fate === 'disabled')
  if (waiting.length > 0) {
    const detail = `requested but not granted: ${waiting.join(', ')}`
    return { act, state: granted.length > 0 ? 'partly' : 'missing', detail }
  }
  if (granted.length === 0) return { act, state: 'missing', detail: 'nothing is granted' }
  return { act, state: 'done', detail: granted.map(({ value }) => value).join(', ') }
}

function clientSecret({ application }: Located, now: Date): Finding {
  const act = 'Client secret'
  const { passwordCredentials = [], keyCredentials = [] } = application ?? {}
  const all = [...passwordCredentials, ...keyCredentials]
  const latest = all.toSorted((a, b) => +b.endDateTime - +a.endDateTime)[0]
  const refused = (detail: string, aadstsCode: number): Finding => ({
    act,
    state: 'missing',
    detail,
    refusal: { aadstsCode, reason: detail },
  })
  if (latest === undefined) return refused('it has no secret and no certificate', 7000215)
  if (latest.endDateTime <= now)
    return refused(`the last one ended on ${day(latest.endDateTime)}`, 7000222)
  const good = all.filter(
    ({ startDateTime, endDateTime }) =>
      +startDateTime <= +now + clockToleranceMs && endDateTime > now,
  )
  if (good.length === 0) return refused('none is good yet', 7000215)
  const kind = passwordCredentials.some((one) => good.includes(one)) ? 'secret' : 'certificate'
  return { act, state: 'done', detail: `${kind}, good until ${day(latest.endDateTime)}` }
}

function fatesOf(state: DirectoryState, client: Located, api: Located): Explanation['roles'] {
  const requested = requestedIds(client.application, api)
  const granted = assignmentsOf(client, state)
    .filter(({ resourceId }) => resourceId === api.servicePrincipal?.id)
    .map(({ appRoleId }) => appRoleId)
  const declared = rolesOf(api).filter(isForApplications)
  const fateOf = (role: AppRole): RoleFate => {
    if (granted.includes(role.id)) return role.isEnabled ? 'carried' : 'disabled'
    return requested.includes(role.id) ? 'not granted' : 'not requested'
  }
  return declared.map((role) => ({ value: nameOf(role), fate: fateOf(role) }))
}

function assignmentDemanded(
  state: DirectoryState,
  client: Located,
  { servicePrincipal }: Located,
): Refusal | undefined {
  if (!servicePrincipal?.appRoleAssignmentRequired) return undefined
  const isAssigned = assignmentsOf(client, state).some(
    ({ resourceId }) => resourceId === servicePrincipal.id,
  )
  if (isAssigned) return undefined
  const reason = 'the API demands an assignment, and the client has none of its roles'
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

const isForApplications = ({ allowedMemberTypes }: AppRole) =>
  allowedMemberTypes.includes('Application')
const nameOf = ({ value, id }: AppRole) => value ?? id

import { graphAppId } from '@greeting/directory'
import { comparedValue } from '../compared-properties.ts'
import { credentialsOf, type HeldCredential, validCredentials } from '../directory/credentials.ts'
import {
  type Application,
  type AppRole,
  type AppRoleAssignment,
  type DirectoryState,
  isBlueprint,
} from '../directory/directory-state.ts'
import { assignmentsOf, type Located, locateById, rolesOf } from '../directory/locate.ts'
import { day } from '../directory/text.ts'
import type { Explanation, Refusal, RoleState, StepResult } from './explanation.ts'

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
  const blueprint = blueprintOf(state, client)
  const assigned = assignedRoles(state, client, api, blueprint)
  const roles = roleStates(client, api, blueprint, assigned)
  const steps: StepResult[] = [
    apiRegistration(api),
    applicationRoles(api),
    clientRegistration(client, blueprint),
    permissions(client, api, roles, blueprint),
    adminConsent(roles, blueprint),
    blueprint
      ? { ...clientSecret(blueprint, now, 'its blueprint'), of: 'blueprint' }
      : clientSecret(client, now),
  ]
  const refusal =
    refusalOf(steps) ?? blueprintRefusal(client, api) ?? missingAssignment(assigned, api)
  return {
    client: client.name,
    ...(blueprint && {
      blueprint: { id: appIdOf(blueprint) ?? blueprint.name, name: blueprint.name },
    }),
    api: api.name,
    steps,
    roles,
    ...(blueprint && !refusal && recentGrant(assigned, now)),
    ...(refusal && { refusal }),
  }
}

const longestTokenMs = 24 * 3_600_000

/** Clients keep a token until it ends, with the roles of its time. */
function recentGrant(
  { own, ofBlueprint, isInheritable }: Assigned,
  now: Date,
): Pick<Explanation, 'note'> {
  const carried = isInheritable ? [...own, ...ofBlueprint] : own
  const times = carried.flatMap(({ createdDateTime }) => createdDateTime ?? [])
  const last = times.toSorted((one, other) => +other - +one)[0]
  if (last === undefined || +now - +last > longestTokenMs) return {}
  return { note: `A token issued before ${last.toISOString()} lacks the role granted then.` }
}

// A token request is checked in this order: the client, its credential, then the API.
const refusalOrder = ['Client registration', 'Client secret', 'API registration'] as const

const refusalOf = (steps: readonly StepResult[]) =>
  refusalOrder.map((step) => steps.find((result) => result.step === step)?.refusal).find(Boolean)

/** A missing step, which causes the refusal of a token request. */
const refusedBy = (step: StepResult['step'], detail: string, aadstsCode: number): StepResult => ({
  step,
  state: 'missing',
  detail,
  refusal: { aadstsCode, reason: detail },
})

function apiRegistration(api: Located): StepResult {
  const step = 'API registration'
  const { application, servicePrincipal } = api
  const refused = (detail: string, aadstsCode = 500011) => refusedBy(step, detail, aadstsCode)
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

/** The blueprint of an agent identity, which authenticates it; undefined for every other client. */
function blueprintOf(state: DirectoryState, { servicePrincipal }: Located): Located | undefined {
  const blueprintId = servicePrincipal?.agentIdentityBlueprintId
  return blueprintId ? locateById(state, blueprintId) : undefined
}

/** A blueprint gets tokens of Microsoft Graph only. */
function blueprintRefusal({ application }: Located, api: Located): Refusal | undefined {
  if (!application || !isBlueprint(application) || appIdOf(api) === graphAppId) return undefined
  const reason = 'it is a blueprint: only its agents get tokens for this API'
  return { aadstsCode: 82001, reason }
}

function clientRegistration(client: Located, blueprint?: Located): StepResult {
  const step = 'Client registration'
  const { application, servicePrincipal } = client
  const refused = (detail: string, aadstsCode = 700016) => refusedBy(step, detail, aadstsCode)
  if (client.fault) return refused(client.fault)
  const { refusal } = blueprint ? clientRegistration(blueprint) : {}
  if (blueprint && refusal)
    return {
      ...refused(`its blueprint "${blueprint.name}": ${refusal.reason}`, refusal.aadstsCode),
      of: 'blueprint',
    }
  if (application === undefined && servicePrincipal === undefined)
    return refused('the client is not registered')
  if (servicePrincipal === undefined)
    return refused('it has no service principal in this tenant', 7000229)
  if (servicePrincipal.accountEnabled === false)
    return refused('its service principal is disabled', 7000112)
  const { appId } = servicePrincipal
  const kind = blueprint ? `, an agent of "${blueprint.name}"` : ', from another tenant'
  return { step, state: 'done', detail: application ? appId : `${appId}${kind}` }
}

function permissions(
  client: Located,
  api: Located,
  roles: Explanation['roles'],
  blueprint: Located | undefined,
): StepResult {
  const step = 'Permissions'
  const requested = requestedIds((blueprint ?? client).application, api)
  const declared = rolesOf(api).filter(isForApplications)
  const names = declared.filter(({ id }) => requested.includes(id)).map(nameOf)
  if (names.length > 0) return { step, state: 'done', detail: names.join(', ') }
  const granted = roles
    .filter((one) => isGranted(one) || one.state === 'not_inheritable')
    .map(({ value }) => value)
  if (granted.length > 0)
    return { step, state: 'done', detail: `granted without a request: ${granted.join(', ')}` }
  if (isOfAnotherTenant(blueprint ?? client))
    return { step, state: 'unknown', detail: ofAnotherTenant }
  const detail = blueprint ? 'neither it nor its blueprint has a role' : 'it requests no role'
  return { step, state: 'missing', detail }
}

/** A client of another tenant has only a service principal in this one. */
const isOfAnotherTenant = ({ application, servicePrincipal }: Located) =>
  application === undefined && servicePrincipal !== undefined
const ofAnotherTenant = 'only the home tenant of the application shows it'

function adminConsent(roles: Explanation['roles'], blueprint: Located | undefined): StepResult {
  const step = 'Admin consent'
  const valuesOf = (state: RoleState) =>
    roles.flatMap((role) => (role.state === state ? role.value : [])).join(', ')
  const waiting = valuesOf('not_granted')
  const blocked = valuesOf('not_inheritable')
  const granted = roles.filter(isGranted)
  const detail = [
    waiting && `requested but not granted: ${waiting}`,
    blocked && `assigned to the blueprint, but not inheritable: ${blocked}`,
  ]
    .filter(Boolean)
    .join('; ')
  const state = granted.length > 0 ? 'partly' : 'missing'
  if (detail) return { step, state, detail, ...(blueprint && { of: 'blueprint' }) }
  if (granted.length === 0) return { step, state: 'missing', detail: 'no role is granted' }
  const names = granted.map(({ value, source }) =>
    blueprint && source === 'inherited' ? `${value} (inherited from "${blueprint.name}")` : value,
  )
  return { step, state: 'done', detail: names.join(', ') }
}

function clientSecret(client: Located, now: Date, who = 'it'): StepResult {
  const step = 'Client secret'
  const refused = (detail: string, aadstsCode: number) => refusedBy(step, detail, aadstsCode)
  const valid = latestFirst(validCredentials(client, now))
  const [best] = [...valid.filter(({ kind }) => kind === 'secret'), ...valid]
  if (best !== undefined)
    return { step, state: 'done', detail: `${best.kind}, valid until ${day(best.endDateTime)}` }
  if ((client.application?.federatedIdentityCredentials.length ?? 0) > 0)
    return { step, state: 'done', detail: 'federated credential' }
  if (isOfAnotherTenant(client)) return { step, state: 'unknown', detail: ofAnotherTenant }
  const [latest] = latestFirst(credentialsOf(client))
  if (latest === undefined) return refused(`${who} has no credential`, 7000215)
  if (latest.endDateTime <= now)
    return refused(`the last credential expired on ${day(latest.endDateTime)}`, 7000222)
  return refused('no credential is valid yet', 7000215)
}

const latestFirst = (credentials: readonly HeldCredential[]) =>
  credentials.toSorted((a, b) => +b.endDateTime - +a.endDateTime)

/** The roles of one API that are assigned to a client, and to the blueprint of an agent. */
type Assigned = {
  readonly own: readonly AppRoleAssignment[]
  readonly ofBlueprint: readonly AppRoleAssignment[]
  readonly isInheritable: boolean
}

function assignedRoles(
  state: DirectoryState,
  client: Located,
  api: Located,
  blueprint: Located | undefined,
): Assigned {
  const ofApi = (holder: Located | undefined) =>
    (holder ? assignmentsOf(holder, state) : []).filter(
      ({ resourceId }) => resourceId === api.servicePrincipal?.id,
    )
  const isInheritable = (blueprint?.application?.inheritablePermissions ?? []).some(
    (one) => one.resourceAppId === appIdOf(api) && one.inheritableRoles?.kind === 'allAllowed',
  )
  return { own: ofApi(client), ofBlueprint: ofApi(blueprint), isInheritable }
}

function roleStates(
  client: Located,
  api: Located,
  blueprint: Located | undefined,
  { own, ofBlueprint, isInheritable }: Assigned,
): Explanation['roles'] {
  const requested = requestedIds((blueprint ?? client).application, api)
  const isIn = (some: Assigned['own'], id: string) => some.some((one) => one.appRoleId === id)
  const sourceOf = ({ id }: AppRole) => {
    if (isIn(own, id)) return 'assigned'
    return isInheritable && isIn(ofBlueprint, id) ? 'inherited' : undefined
  }
  const lackOf = ({ id }: AppRole): RoleState => {
    if (isIn(ofBlueprint, id)) return 'not_inheritable'
    return requested.includes(id) ? 'not_granted' : 'not_requested'
  }
  return rolesOf(api)
    .filter(isForApplications)
    .map((role) => {
      const source = sourceOf(role)
      const value = nameOf(role)
      if (source === undefined) return { value, state: lackOf(role) }
      return { value, state: role.isEnabled ? 'carried' : 'disabled', source }
    })
}

function missingAssignment(
  { own, ofBlueprint, isInheritable }: Assigned,
  { servicePrincipal }: Located,
): Refusal | undefined {
  if (!comparedValue('appRoleAssignmentRequired', servicePrincipal)) return undefined
  if (own.length > 0 || (isInheritable && ofBlueprint.length > 0)) return undefined
  const reason = 'the API requires an assignment, and the client has none'
  return { aadstsCode: 501051, reason }
}

const appIdOf = ({ application, servicePrincipal }: Located) =>
  application?.appId ?? servicePrincipal?.appId

function requestedIds(client: Application | undefined, api: Located) {
  const appId = appIdOf(api)
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

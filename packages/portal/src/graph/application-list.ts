import { withHolders } from '@greeting/registrations/apply'
import { isBlueprint, locateById } from '@greeting/registrations/directory'
import { explain, missingSteps, type RegistrationStep } from '@greeting/registrations/explaining'
import type { AdministratorRequest } from './administrator-request.ts'
import {
  type ApplicationView,
  applicationView,
  isApi,
  type Principal,
  principalsBy,
  principalsWithAssignments,
  principalView,
  searchQuery,
} from './applications.ts'

const shown =
  'id,appId,displayName,createdDateTime,signInAudience,identifierUris,appRoles,requiredResourceAccess,passwordCredentials,keyCredentials'

/** One page of applications, with the properties that lists show. */
export const listApplications = (
  { graph }: AdministratorRequest,
  query: Readonly<Record<string, string>>,
) =>
  graph.page(`/applications?${new URLSearchParams({ ...query, $select: shown })}`, applicationView)

const uriFilter = (names: string) =>
  ['api://', 'https://'].map((start) => `${names}/any(n:startswith(n,'${start}'))`).join(' or ')

export const hasUri = uriFilter('identifierUris')

const maxOffered = 100

/**
 * The APIs with enabled roles that match. Those with an identifier URI are found among any number of
 * clients; the others among the first matches.
 */
export async function findApis(
  { graph }: AdministratorRequest,
  search: string,
): Promise<Principal[]> {
  const query = searchQuery(search)
  // Only APIs have names, other than their application ID.
  const named = [query.$filter, `(${uriFilter('servicePrincipalNames')})`].filter(Boolean)
  const found = await Promise.all(
    [{ ...query, $filter: named.join(' and ') }, query].map((one) => {
      const parameters = new URLSearchParams({ ...one, $top: String(maxOffered) })
      return graph.page(`/servicePrincipals?${parameters}`, principalView)
    }),
  )
  const byId = new Map(found.flatMap(({ value }) => value).map((one) => [one.id, one]))
  return [...byId.values()].filter(({ appRoles }) => appRoles.some(({ isEnabled }) => isEnabled))
}

export const namesOf = (some: readonly { readonly displayName: string }[]) => [
  ...new Set(some.map(({ displayName }) => displayName)),
]

/** Names for the pickers of a client and of an API: some of the tenant, if it has many. */
export async function offeredNames(
  request: AdministratorRequest,
): Promise<Record<'clients' | 'apis', readonly string[]>> {
  const [apis, first] = await Promise.all([
    findApis(request, ''),
    listApplications(request, { $top: String(maxOffered) }),
  ])
  return { apis: namesOf(apis), clients: namesOf(first.value.filter((one) => !isApi(one))) }
}

/** Whether a client would get its roles, in short; the reason names the API and the missing step. */
export type ClientState = {
  readonly kind: 'good' | 'warn' | 'bad' | 'plain'
  readonly text: string
  readonly reason?: string
}

export const noCredential = 'no valid credential'

/** The states of a missing step, the most important first. */
const states: readonly (readonly [RegistrationStep, ClientState['kind'], string])[] = [
  ['Client registration', 'bad', 'cannot sign in'],
  ['Client secret', 'bad', noCredential],
  ['API registration', 'bad', 'API not usable'],
  ['Application roles', 'warn', 'API without roles'],
  ['Admin consent', 'warn', 'waits for consent'],
]

const maxApis = 5

/** The state of each client of one page of applications, by application ID. */
export async function clientStates(
  request: AdministratorRequest,
  listed: readonly ApplicationView[],
): Promise<ReadonlyMap<string, ClientState>> {
  const { graph, now, session } = request
  const applications = listed.filter((one) => !isApi(one) || one.requiredResourceAccess.length > 0)
  const clientIds = applications.map(({ appId }) => appId)
  const clients = await principalsWithAssignments(request, 'appId', clientIds)
  const assignments = clients.flatMap(({ appRoleAssignments }) => appRoleAssignments)
  const requestedBy = ({ requiredResourceAccess }: ApplicationView) =>
    requiredResourceAccess.slice(0, maxApis).map(({ resourceAppId }) => resourceAppId)
  const resourceIds = assignments.map(({ resourceId }) => resourceId)
  const apis = [
    ...(await principalsBy(request, 'appId', applications.flatMap(requestedBy))).values(),
    ...(await principalsBy(request, 'id', resourceIds)).values(),
  ]
  const servicePrincipals = [...clients, ...apis]
  const state = await withHolders(
    graph,
    { tenantId: session.tenantId, applications, servicePrincipals, assignments },
    { identified: new Set(clientIds), now },
  )
  const stateOf = (one: ApplicationView): ClientState => {
    const client = locateById(state, one.appId)
    const held = assignments.filter((each) => each.principalId === client.servicePrincipal?.id)
    const granted = apis.filter(({ id }) => held.some(({ resourceId }) => resourceId === id))
    const apiIds = [...new Set([...requestedBy(one), ...granted.map(({ appId }) => appId)])]
    // Without an API, the steps of the client decide.
    const missing = [...apiIds.slice(0, maxApis), ''].flatMap((id) => {
      const api = id ? locateById(state, id) : { name: '' }
      const steps = missingSteps(explain(state, client, api, now))
      return steps.map(({ step, detail }) => ({
        step,
        reason: id && !step.startsWith('Client') ? `${api.name}: ${detail}` : detail,
        id,
      }))
    })
    for (const [step, kind, text] of states) {
      const found = missing.find(
        (each) => each.step === step && (each.id || step.startsWith('Client')),
      )
      if (found) return { kind, text, reason: found.reason }
    }
    if (isBlueprint(one)) return { kind: 'good', text: 'authenticates agents' }
    return apiIds.length > 0
      ? { kind: 'good', text: 'gets its roles' }
      : { kind: 'plain', text: 'requests no role' }
  }
  return new Map(applications.map((one) => [one.appId, stateOf(one)]))
}

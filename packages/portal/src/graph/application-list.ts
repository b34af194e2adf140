import { withHolders } from '@greeting/registrations/apply'
import {
  appRoleAssignment,
  explain,
  locateById,
  missingSteps,
  type RegistrationStep,
  servicePrincipal,
} from '@greeting/registrations/planning'
import { z } from 'zod'
import type { AdministratorRequest } from './administrator-request.ts'
import { type ApplicationView, applicationView, isApi } from './applications.ts'

const applicationPage = z.object({
  '@odata.count': z.number().optional(),
  '@odata.nextLink': z.string().optional(),
  value: z.array(applicationView),
})

const shown =
  'id,appId,displayName,createdDateTime,signInAudience,identifierUris,appRoles,requiredResourceAccess,passwordCredentials,keyCredentials'

/** One page of applications, with the properties that lists show. */
export const listApplications = (
  { graph }: AdministratorRequest,
  query: Readonly<Record<string, string>>,
) =>
  graph.get(`/applications?${new URLSearchParams({ ...query, $select: shown })}`, applicationPage)

/** The filter of the applications with an identifier URI. */
export const hasUri = ['api://', 'https://']
  .map((start) => `identifierUris/any(u:startswith(u,'${start}'))`)
  .join(' or ')

/** Whether a client would get its roles, in short; the reason names the API and the missing step. */
export type ClientState = {
  readonly kind: 'good' | 'warn' | 'bad' | 'plain'
  readonly text: string
  readonly reason?: string
}

/** The states of a missing step, the most important first. */
const states: readonly (readonly [RegistrationStep, ClientState['kind'], string])[] = [
  ['Client registration', 'bad', 'cannot sign in'],
  ['Client secret', 'bad', 'no valid credential'],
  ['API registration', 'bad', 'API not usable'],
  ['Application roles', 'warn', 'API without roles'],
  ['Admin consent', 'warn', 'waits for consent'],
]

// As in Microsoft Graph, a filter has at most 15 alternatives, and an expanded list at most 20 objects.
const idsPerFilter = 15
const maxExpanded = 20
const maxApis = 5

const assigned = servicePrincipal.extend({
  appRoleAssignments: z.array(appRoleAssignment).default([]),
})

/** The state of each client of one page of applications, by application ID. */
export async function clientStates(
  request: AdministratorRequest,
  listed: readonly ApplicationView[],
): Promise<ReadonlyMap<string, ClientState>> {
  const { graph, now, session } = request
  const applications = listed.filter((one) => !isApi(one) || one.requiredResourceAccess.length > 0)
  const clientIds = applications.map(({ appId }) => appId)
  const clients = await principalsBy('appId', clientIds, request)
  const assignments = (
    await Promise.all(
      clients.map(({ id, appRoleAssignments }) =>
        appRoleAssignments.length < maxExpanded
          ? appRoleAssignments
          : graph.list(`/servicePrincipals/${id}/appRoleAssignments`, appRoleAssignment),
      ),
    )
  ).flat()
  const requestedBy = ({ requiredResourceAccess }: ApplicationView) =>
    requiredResourceAccess.slice(0, maxApis).map(({ resourceAppId }) => resourceAppId)
  const apis = [
    ...(await principalsBy('appId', applications.flatMap(requestedBy), request)),
    ...(await principalsBy(
      'id',
      assignments.map(({ resourceId }) => resourceId),
      request,
    )),
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
        reason: id ? `${api.name}: ${detail}` : detail,
        id,
      }))
    })
    for (const [step, kind, text] of states) {
      const found = missing.find(
        (each) => each.step === step && (each.id || step.startsWith('Client')),
      )
      if (found) return { kind, text, reason: found.reason }
    }
    return apiIds.length > 0
      ? { kind: 'good', text: 'gets its roles' }
      : { kind: 'plain', text: 'requests no role' }
  }
  return new Map(applications.map((one) => [one.appId, stateOf(one)]))
}

/** The service principals that have one of the IDs, with their assignments. */
async function principalsBy(
  property: 'appId' | 'id',
  ids: readonly string[],
  { graph }: AdministratorRequest,
) {
  const left = [...new Set(ids)]
  const found: z.output<typeof assigned>[] = []
  while (left.length > 0) {
    const $filter = `${property} in ('${left.splice(0, idsPerFilter).join("','")}')`
    const query = new URLSearchParams({ $filter, $expand: 'appRoleAssignments' })
    found.push(...(await graph.list(`/servicePrincipals?${query}`, assigned)))
  }
  return found
}

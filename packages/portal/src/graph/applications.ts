import {
  type FoundApplication,
  findApplications,
  readExplained,
  similarApplications,
} from '@greeting/registrations/apply'
import {
  application,
  appRoleAssignment,
  isBlueprint,
  locateById,
  servicePrincipal,
} from '@greeting/registrations/directory'
import { type Explanation, explain } from '@greeting/registrations/explaining'
import { z } from 'zod'
import { ActionFault, type AdministratorRequest, actionFault } from './administrator-request.ts'

const dateTime = z.iso.datetime().transform((text) => new Date(text))

const credential = z.object({
  keyId: z.string(),
  displayName: z.string().nullish(),
  startDateTime: dateTime,
  endDateTime: dateTime,
  lastUsedDateTime: dateTime.nullish(),
})

const credentials = {
  passwordCredentials: z.array(credential.extend({ hint: z.string().nullish() })),
  keyCredentials: z.array(credential.extend({ customKeyIdentifier: z.string().nullish() })),
}

/** An application with the parts that the portal shows. */
export const applicationView = application.extend({
  signInAudience: z.string(),
  passwordAuthenticationAllowed: z.boolean().nullish(),
  ...credentials,
})

export const principalView = servicePrincipal.extend({
  createdDateTime: dateTime.nullish(),
  ...credentials,
  appRoleAssignments: z.array(appRoleAssignment).default([]),
})

export type Principal = z.output<typeof principalView>

export type ApplicationView = z.output<typeof applicationView>

/** An application with its service principal in the tenant, as far as it exists. */
export type Registered = {
  readonly application: ApplicationView
  readonly principal: Principal | undefined
}

// As in Microsoft Graph, a filter has at most 15 alternatives, and an expanded list at most 20 objects.
const idsPerFilter = 15
const maxExpanded = 20

/** The objects of a list that have one of the IDs, by that ID. */
export async function objectsBy<
  By extends 'appId' | 'id',
  One extends Readonly<Record<By, string>>,
>(
  { graph }: AdministratorRequest,
  list: 'applications' | 'servicePrincipals',
  by: By,
  ids: readonly string[],
  schema: z.ZodType<One>,
  more: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, One>> {
  const asked = [...new Set(ids)].filter((id) => z.guid().safeParse(id).success)
  const found = new Map<string, One>()
  for (let start = 0; start < asked.length; start += idsPerFilter) {
    const $filter = `${by} in ('${asked.slice(start, start + idsPerFilter).join("','")}')`
    const query = new URLSearchParams({ $filter, ...more })
    for (const one of await graph.list(`/${list}?${query}`, schema)) found.set(one[by], one)
  }
  return new Map(
    asked.flatMap((id) => {
      const one = found.get(id.toLowerCase())
      return one ? [[id, one] as const] : []
    }),
  )
}

/** Service principals in this tenant, by one of their IDs. */
export const principalsBy = (
  request: AdministratorRequest,
  by: 'appId' | 'id',
  ids: readonly string[],
) => objectsBy(request, 'servicePrincipals', by, ids, principalView)

/** The service principal of an application, if it has one in this tenant. */
export const principalOf = async (request: AdministratorRequest, appId: string) =>
  (await principalsBy(request, 'appId', [appId])).get(appId)

export const assignmentsOf = ({ graph }: AdministratorRequest, id: string) =>
  graph.list(`/servicePrincipals/${id}/appRoleAssignments`, appRoleAssignment)

/** Service principals by one of their IDs, with their app role assignments. */
export async function principalsWithAssignments(
  request: AdministratorRequest,
  by: 'appId' | 'id',
  ids: readonly string[],
): Promise<readonly Principal[]> {
  const more = { $expand: 'appRoleAssignments' }
  const found = await objectsBy(request, 'servicePrincipals', by, ids, principalView, more)
  return Promise.all(
    [...found.values()].map(async (one) => {
      if (one.appRoleAssignments.length < maxExpanded) return one
      return { ...one, appRoleAssignments: await assignmentsOf(request, one.id) }
    }),
  )
}

const maxHolders = 100

/** The first app role assignments to an API, and how many clients have them, in words. */
export async function assignedTo({ graph }: AdministratorRequest, { principal }: Registered) {
  const { value, '@odata.nextLink': next } = principal
    ? await graph.page(
        `/servicePrincipals/${principal.id}/appRoleAssignedTo?$top=${maxHolders}`,
        appRoleAssignment,
      )
    : { value: [] }
  const clientsOf = (roleId?: string) => {
    const some = value.filter(({ appRoleId }) => roleId === undefined || appRoleId === roleId)
    const count = new Set(some.map(({ principalId }) => principalId)).size
    return `${next ? 'at least ' : ''}${count === 1 ? '1 client' : `${count} clients`}`
  }
  return { assignments: value, clientsOf }
}

/** An agent in the form of an application. It has none, and no credential. */
const agentView = ({ '@odata.etag': etag, ...one }: Principal): ApplicationView => ({
  '@odata.etag': etag,
  id: one.id,
  appId: one.appId,
  displayName: one.displayName,
  createdDateTime: one.createdDateTime,
  signInAudience: 'AzureADMyOrg',
  identifierUris: [],
  appRoles: [],
  requiredResourceAccess: [],
  passwordCredentials: [],
  keyCredentials: [],
  federatedIdentityCredentials: [],
})

/** Whether it is an agent identity, which has a service principal only. */
export const isAgent = ({ principal }: Pick<Registered, 'principal'>): boolean =>
  Boolean(principal?.agentIdentityBlueprintId)

/**
 * Reads an application by its application ID, or an agent by its client ID.
 *
 * @throws {GraphRefusalError} graph_refusal when it does not exist, or is not readable.
 */
export async function readRegistered(
  request: AdministratorRequest,
  appId: string,
): Promise<Registered> {
  const path = `/applications(appId='${encodeURIComponent(appId)}')`
  const principal = await principalOf(request, appId)
  if (principal && isAgent({ principal })) return { application: agentView(principal), principal }
  return { application: await request.graph.get(path, applicationView), principal }
}

/** Whether an application is an API: it has a name or declares roles. */
export const isApi = ({
  identifierUris,
  appRoles,
}: Pick<ApplicationView, 'identifierUris' | 'appRoles'>): boolean =>
  identifierUris.length > 0 || appRoles.length > 0

export type Kind = 'API' | 'client' | 'blueprint' | 'agent'

/** The kind of an application. A blueprint may also be an API. */
export function kindOf({ application, principal }: Registered): Kind {
  if (isAgent({ principal })) return 'agent'
  if (isBlueprint(application)) return 'blueprint'
  return isApi(application) ? 'API' : 'client'
}

/** The application roles of an API that a client requests. */
export const requestedRoles = (
  { requiredResourceAccess }: Pick<ApplicationView, 'requiredResourceAccess'>,
  apiId: string,
): readonly string[] =>
  requiredResourceAccess
    .filter(({ resourceAppId }) => resourceAppId === apiId)
    .flatMap(({ resourceAccess }) => resourceAccess)
    .filter(({ type }) => type === 'Role')
    .map(({ id }) => id)

/** A text that names no application, or several. */
export class UnclearName extends ActionFault {
  readonly text: string
  /** The applications with that name, or with a similar name. */
  readonly candidates: readonly FoundApplication[]

  constructor(text: string, sentence: string, candidates: readonly FoundApplication[]) {
    super(sentence)
    this.text = text
    this.candidates = candidates
  }
}

const maxCandidates = 6

/** The applications whose names have each word of a text. */
async function ofPart({ graph }: AdministratorRequest, text: string): Promise<FoundApplication[]> {
  if (!word.test(text)) return []
  const query = new URLSearchParams({ ...searchQuery(text), $top: String(maxCandidates) })
  const { value } = await graph.page(`/servicePrincipals?${query}`, principalView)
  return value.map(({ appId, displayName }) => ({
    applicationId: appId,
    displayName,
    createdDateTime: undefined,
  }))
}

/**
 * Finds the application ID for a name, a part of one name, an ID or an identifier URI.
 *
 * @throws {UnclearName} portal_form_invalid when none or several match.
 */
export async function findId(request: AdministratorRequest, text: string): Promise<string> {
  const { graph } = request
  const found = await findApplications(graph, text)
  const [first] = found
  if (first === undefined) {
    const partly = await ofPart(request, text)
    if (partly.length === 1 && partly[0]) return partly[0].applicationId
    if (partly.length > 1) {
      const sentence = `${partly.length === maxCandidates ? 'Several' : partly.length} applications match “${text}”. Choose one.`
      throw new UnclearName(text, sentence, partly)
    }
    const similar = await similarApplications(graph, text)
    const names = similar.map(({ displayName }) => `“${displayName}”`).join(', ')
    const suggestion = similar.length === 0 ? '' : ` Did you mean ${names}?`
    const sentence = `No application in this tenant matches “${text}”.${suggestion}`
    throw new UnclearName(text, sentence, similar)
  }
  if (found.length > 1) {
    const sentence = `${found.length} applications match “${text}”. Use the application ID.`
    throw new UnclearName(text, sentence, found)
  }
  return first.applicationId
}

/**
 * Finds the service principal for a name, an ID or an identifier URI.
 *
 * @throws {ActionFault} portal_form_invalid when none or several match, or it has none.
 */
export async function findPrincipal(
  request: AdministratorRequest,
  text: string,
): Promise<Principal> {
  const principal = await principalOf(request, await findId(request, text))
  if (principal === undefined)
    throw actionFault(`The application “${text}” has no service principal in this tenant.`)
  return principal
}

/** The APIs of which a client requests roles, each with the scope of its tokens. */
export async function requestedApis(
  request: AdministratorRequest,
  { application }: Registered,
): Promise<readonly { readonly appId: string; readonly scope: string }[]> {
  const ids = application.requiredResourceAccess.map(({ resourceAppId }) => resourceAppId)
  const apis = await principalsBy(request, 'appId', ids)
  return [...apis.values()].map((api) => ({ appId: api.appId, scope: `${apiName(api)}/.default` }))
}

/** The name of an API in a scope: its first identifier URI, else its application ID. */
export const apiName = ({
  appId,
  servicePrincipalNames,
}: {
  readonly appId: string
  readonly servicePrincipalNames: readonly string[]
}): string => servicePrincipalNames.find((name) => name !== appId) ?? appId

/** Any one of the letters and digits that `$search` takes as a word. */
const word = /[\p{L}\p{N}]/u
/** They end the text of a `$search`. */
const quoting = /["\\]/g

/** The query for objects by their application ID, or by words of their names in any order. */
export function searchQuery(text: string): Readonly<Record<string, string>> {
  if (text === '') return {}
  if (z.guid().safeParse(text).success) return { $filter: `appId eq '${text}'` }
  if (word.test(text)) return { $search: `"displayName:${text.replaceAll(quoting, ' ')}"` }
  return { $filter: `startswith(displayName,'${text.replaceAll("'", "''")}')` }
}

/** The explanations of one client for several APIs: the answers of `greeting registrations explain`. */
export async function explanationsOf(
  { graph, session, now }: AdministratorRequest,
  clientId: string,
  apiIds: readonly string[],
): Promise<readonly (Explanation & { readonly apiId: string; readonly apiName: string })[]> {
  const state = await readExplained(graph, session.tenantId, { clientId, apiIds, now })
  const client = locateById(state, clientId)
  return apiIds.map((apiId) => {
    const api = locateById(state, apiId)
    return { ...explain(state, client, api, now), apiId, apiName: api.name }
  })
}

import {
  type FoundApplication,
  findApplications,
  GraphRefusalError,
  readExplained,
  similarApplications,
} from '@greeting/registrations/apply'
import {
  application,
  type Explanation,
  explain,
  locateById,
  servicePrincipal,
} from '@greeting/registrations/planning'
import { z } from 'zod'
import { ActionFault, type AdministratorRequest, actionFault } from './administrator-request.ts'
import type { AuditView } from './management-views.ts'

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

const principalView = servicePrincipal.extend(credentials)

export type Principal = z.output<typeof principalView>

export type ApplicationView = z.output<typeof applicationView>

/** An application with its service principal in the tenant, as far as it exists. */
export type Registered = {
  readonly application: ApplicationView
  readonly principal: Principal | undefined
}

/** The service principal of an application, if it has one in this tenant. */
export async function principalOf(
  { graph }: AdministratorRequest,
  appId: string,
): Promise<Principal | undefined> {
  const [found] = await graph.list(
    `/servicePrincipals?$filter=${encodeURIComponent(`appId eq '${appId}'`)}`,
    principalView,
  )
  return found
}

/** Service principals by their object IDs. */
export async function principalsOf(
  { graph }: AdministratorRequest,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Principal>> {
  const found = await Promise.all(
    [...new Set(ids)].map((id) =>
      graph.list(
        `/servicePrincipals?$filter=${encodeURIComponent(`id eq '${id}'`)}`,
        principalView,
      ),
    ),
  )
  return new Map(found.flat().map((one) => [one.id, one]))
}

/**
 * Reads an application by its application ID.
 *
 * @throws {GraphRefusalError} graph_refusal when it does not exist, or is not readable.
 */
export async function readRegistered(
  request: AdministratorRequest,
  appId: string,
): Promise<Registered> {
  const path = `/applications(appId='${encodeURIComponent(appId)}')`
  const [one, principal] = await Promise.all([
    request.graph.get(path, applicationView),
    principalOf(request, appId),
  ])
  return { application: one, principal }
}

/** Whether an application is an API: it has a name or declares roles. */
export const isApi = ({
  identifierUris,
  appRoles,
}: Pick<ApplicationView, 'identifierUris' | 'appRoles'>): boolean =>
  identifierUris.length > 0 || appRoles.length > 0

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
  /** The applications of that name, or those of a similar one. */
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
  const found = await graph.firstPage(`/servicePrincipals?${query}`, principalView)
  return found.map(({ appId, displayName }) => ({
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
    const sentence = `No application of the tenant matches “${text}”.${suggestion}`
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

/**
 * The names of applications, by application ID. An ID has no name when no service principal has it, or
 * when the administrator may not read it.
 */
export async function applicationNames(
  request: AdministratorRequest,
  appIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(appIds)].filter((id) => z.guid().safeParse(id).success)
  const found = await Promise.all(
    ids.map(async (id): Promise<[string, string][]> => {
      try {
        const one = await principalOf(request, id)
        return one ? [[id, one.displayName]] : []
      } catch (cause) {
        if (cause instanceof GraphRefusalError && cause.status === 403) return []
        throw cause
      }
    }),
  )
  return new Map(found.flat())
}

const nameView = z.object({ appId: z.string(), displayName: z.string() })

/** The applications that audit records name, by the ID in the record. */
export type NamesInRecords = ReadonlyMap<string, z.output<typeof nameView>>

/** The names of actors and targets: of application IDs, and of objects that were changed. */
export async function namesInRecords(
  request: AdministratorRequest,
  records: readonly Pick<AuditView, 'action' | 'actor' | 'target'>[],
): Promise<NamesInRecords> {
  const appIds = records.flatMap(({ actor, target }) => [actor, target ?? ''])
  const names = await applicationNames(request, appIds)
  const changed = new Map(
    records.flatMap(({ action, target }): [string, string][] => {
      const [kind = ''] = action.split('.')
      return target && /^(application|servicePrincipal)$/.test(kind) ? [[target, `${kind}s`]] : []
    }),
  )
  const objects = await Promise.all(
    [...changed].map(async ([id, list]): Promise<[string, z.output<typeof nameView>][]> => {
      try {
        return [[id, await request.graph.get(`/${list}/${encodeURIComponent(id)}`, nameView)]]
      } catch (cause) {
        if (cause instanceof GraphRefusalError && [400, 403, 404].includes(cause.status)) return []
        throw cause
      }
    }),
  )
  const named = [...names].map(([appId, displayName]) => [appId, { appId, displayName }] as const)
  return new Map([...named, ...objects.flat()])
}

/** The scopes that a client can request: those of the APIs of which it requests roles. */
export async function scopesOf(
  request: AdministratorRequest,
  { application }: Registered,
): Promise<readonly string[]> {
  const found = await Promise.all(
    application.requiredResourceAccess.map(({ resourceAppId }) =>
      principalOf(request, resourceAppId),
    ),
  )
  return found.flatMap((api) => (api ? `${apiName(api)}/.default` : []))
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

const maxOffered = 100
/** Only APIs have names, other than their application ID. */
const hasUri = ['api://', 'https://']
  .map((start) => `servicePrincipalNames/any(n:startswith(n,'${start}'))`)
  .join(' or ')

/**
 * The APIs with enabled roles that match. Those with an identifier URI are found among any number of
 * clients; the others among the first matches.
 */
export async function findApis(
  { graph }: AdministratorRequest,
  search: string,
): Promise<Principal[]> {
  const query: Readonly<Record<string, string>> = {
    ...searchQuery(search),
    $top: String(maxOffered),
  }
  const filters = [query.$filter, `(${hasUri})`].filter((one) => one !== undefined)
  const named = { ...query, $filter: filters.join(' and ') }
  const [first, apis] = await Promise.all([
    graph.firstPage(`/servicePrincipals?${new URLSearchParams(query)}`, principalView),
    graph.firstPage(`/servicePrincipals?${new URLSearchParams(named)}`, principalView),
  ])
  const byId = new Map([...apis, ...first].map((one) => [one.id, one]))
  return [...byId.values()].filter(({ appRoles }) => appRoles.some(({ isEnabled }) => isEnabled))
}

/** Names for the pickers of a client and of an API: some of the tenant, if it has many. */
export async function offeredNames(
  request: AdministratorRequest,
): Promise<Record<'clients' | 'apis', readonly string[]>> {
  const [apis, first] = await Promise.all([
    findApis(request, ''),
    request.graph.firstPage(`/applications?$top=${maxOffered}`, applicationView),
  ])
  const names = (all: readonly { displayName: string }[]) => [
    ...new Set(all.map(({ displayName }) => displayName)),
  ]
  return { apis: names(apis), clients: names(first.filter((one) => !isApi(one))) }
}

import {
  graphAppId,
  managedIdentityOf,
  requestedClaims,
  tokenExchangeAppId,
} from '@greeting/directory'
import { isAgent } from '../../issuance/agent-identity.ts'
import { exchangeMark } from '../../issuance/exchanged-token.ts'
import type { TokenDecision } from '../../issuance/token-decision.ts'

/** The region of every tenant, in documents and tokens. */
export const tenantRegion = 'WW'

/** Makes a claim; undefined when a token does not have it. */
type MakeClaim = (decision: TokenDecision) => unknown

/**
 * The claims that an API may request (entra E257). Facets are 3 and 9, and 11 for an agent (entra E198).
 * Even numbers in facets and relations mean nothing.
 */
const requestable: Readonly<Record<string, MakeClaim>> = {
  idtyp: () => 'app',
  tenant_region_scope: () => tenantRegion,
  xms_act_fct: ({ client }) => (isAgent(client) ? '3 9 11' : '3 9'),
  xms_cc: ({ capabilities }) => capabilities,
  xms_idrel: () => '7 16',
  xms_par_app_azp: ({ client }) => client.principal.agentIdentityBlueprintId ?? undefined,
  xms_sub_fct: ({ client }) => (isAgent(client) ? '9 3 11' : '9 3'),
  xms_tnt_fct: () => '3 9',
}

/** The claims of each token for Microsoft Graph (entra E256). */
const ofGraph: Readonly<Record<string, MakeClaim>> = {
  ...requestable,
  app_displayname: ({ client }) => client.principal.displayName,
  wids: () => ['0997a1d0-0d1d-4acb-b408-d5ca73121e90'],
  xms_tcdt: ({ tenant }) => Math.floor(tenant.createdDateTime.getTime() / 1000),
}
const allOfGraph = Object.keys(ofGraph)

/** The claims of a token for an agent, besides those that the API requests (entra E196). */
const forAgent = ['xms_act_fct', 'xms_idrel', 'xms_sub_fct']

/** Adds the claims that only some APIs and clients get. All are in alphabetical order, as in Entra. */
export function withOptionalClaims(decision: TokenDecision, usual: object): object {
  const { agent, boundTo, client, resource } = decision
  const { appId } = resource.application
  const requested = requestedClaims(resource.application)
    .map(({ name }) => name)
    .filter(isRequestable)
  if (agent !== undefined) requested.push(...forAgent)
  const added: Record<string, unknown> = { xms_mirid: managedIdentityOf(client.principal) }
  for (const name of appId === graphAppId ? allOfGraph : requested)
    added[name] = ofGraph[name]?.(decision)
  if (appId === tokenExchangeAppId) added.xms_ficinfo = exchangeMark(decision)
  // RFC 8705 section 3.1
  if (boundTo !== undefined) added.cnf = { 'x5t#S256': boundTo }
  const entries = Object.entries(added).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return usual
  const sorted = [...Object.entries(usual), ...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted)
}

const isRequestable = (name: string) => Object.hasOwn(requestable, name)

import { isAgent } from '../../issuance/agent-identity.ts'
import type { TokenDecision } from '../../issuance/token-decision.ts'

/** The region of every tenant, in documents and tokens. */
export const tenantRegion = 'WW'

/** A claim of an access token, or a member of its header. */
type ClaimRow = {
  /** Its meaning. */
  readonly sentence: string
  /** Why it differs between two tokens. */
  readonly differs?: string
  /**
   * Which tokens have a claim that only some have: those of an API that requests it (entra E257), those for
   * Microsoft Graph (entra E256), or both.
   */
  readonly sentTo?: 'requested' | 'graph' | 'both'
  /** Makes the value of such a claim; undefined when a token does not have it. */
  readonly value?: (decision: TokenDecision) => unknown
}

const times = 'Each token has its own times.'
const opaque = 'Each token has its own value.'
const key = 'Another key signed it: the keys were changed in between.'
const version = 'The API decides the version, not the endpoint. Each version has its issuer.'
const client = 'Another client.'
const authentication = 'The clients authenticated in another way.'
const tenant = 'Another tenant.'
const request = 'Microsoft Graph has it, or the API requests it.'
const facets = 'One client is an agent, one API requests no facets, or their order differs.'

/**
 * All claims, for tokens, the portal and the page of facts. Facets are 3 and 9, and 11 for an agent
 * (entra E198). Even numbers in facets and relations mean nothing.
 */
export const claimTable: Readonly<Record<string, ClaimRow>> = {
  aud: {
    sentence: 'The API for which the token is issued. Another API refuses it.',
    differs:
      'Another API, or another version: v1.0 repeats the requested name, v2.0 has the application ID.',
  },
  iss: { sentence: 'The issuer: this identity provider, in this tenant.', differs: version },
  iat: {
    sentence: 'The time of issue, a little in the past for APIs whose clock is behind.',
    differs: times,
  },
  nbf: { sentence: 'The token is not valid before this time.', differs: times },
  exp: { sentence: 'The token expires at this time.', differs: times },
  aio: { sentence: 'Internal to the identity provider.', differs: opaque },
  app_displayname: {
    sentence: 'The name of the client. Only tokens for Microsoft Graph have it.',
    differs: request,
    sentTo: 'graph',
    value: ({ client }) => client.principal.displayName,
  },
  appid: { sentence: 'The application ID of the client.', differs: client },
  azp: { sentence: 'The application ID of the client.', differs: client },
  appidacr: {
    sentence:
      'How the client authenticated: 1 is a secret, 2 is a certificate, a federated token or a managed identity.',
    differs: authentication,
  },
  azpacr: {
    sentence:
      'How the client authenticated: 1 is a secret, 2 is a certificate, a federated token or a managed identity.',
    differs: authentication,
  },
  idp: { sentence: 'The identity provider that authenticated the client.', differs: tenant },
  idtyp: {
    sentence: 'The token is for an application, not for a user.',
    differs: request,
    sentTo: 'both',
    value: () => 'app',
  },
  oid: { sentence: 'The object ID of the service principal of the client.', differs: client },
  rh: {
    sentence: 'Internal to the identity provider: the tenant and the API.',
    differs: 'Another tenant or API.',
  },
  roles: { sentence: 'The app roles of the API that the client has.' },
  sub: { sentence: 'The subject: the service principal of the client.', differs: client },
  tenant_region_scope: {
    sentence: 'The region of the tenant, here WW.',
    differs: request,
    sentTo: 'both',
    value: () => tenantRegion,
  },
  tid: { sentence: 'The tenant.', differs: tenant },
  uti: { sentence: 'The ID of this token.', differs: opaque },
  ver: {
    sentence: 'The version of the token. The API decides it, not the endpoint.',
    differs: version,
  },
  wids: {
    sentence:
      'Directory roles. Each token for Microsoft Graph has this one, which permits nothing.',
    differs: request,
    sentTo: 'graph',
    value: () => ['0997a1d0-0d1d-4acb-b408-d5ca73121e90'],
  },
  xms_act_fct: {
    sentence: 'Facets of the actor: 11 is an agent. Only odd numbers count.',
    differs: facets,
    sentTo: 'both',
    value: ({ client }) => (isAgent(client) ? '3 9 11' : '3 9'),
  },
  xms_sub_fct: {
    sentence: 'Facets of the subject: 11 is an agent. Only odd numbers count.',
    differs: facets,
    sentTo: 'both',
    value: ({ client }) => (isAgent(client) ? '9 3 11' : '9 3'),
  },
  xms_cc: {
    sentence: 'What the client is capable of: cp1 stands for claims challenges.',
    differs: request,
    sentTo: 'both',
    value: ({ capabilities }) => capabilities,
  },
  xms_tcdt: {
    sentence: 'When the tenant was created.',
    differs: tenant,
    sentTo: 'graph',
    value: ({ tenant }) => Math.floor(tenant.createdDateTime.getTime() / 1000),
  },
  xms_tnt_fct: {
    sentence: 'Facets of the tenant.',
    differs: facets,
    sentTo: 'both',
    value: () => '3 9',
  },
  xms_idrel: {
    sentence: 'How the client belongs to the tenant: 7 is a service principal.',
    differs: facets,
    sentTo: 'both',
    value: () => '7 16',
  },
  xms_par_app_azp: {
    sentence:
      'The application ID of the blueprint of the agent. It is for logs, not for decisions.',
    differs: facets,
    sentTo: 'both',
    value: ({ client }) => client.principal.agentIdentityBlueprintId ?? undefined,
  },
  xms_ficinfo: { sentence: 'Internal to the identity provider.', differs: opaque },
  xms_ftd: { sentence: 'Internal to the identity provider.', differs: opaque },
  xms_mirid: { sentence: 'The resource in Azure of the managed identity.', differs: client },
  cnf: {
    sentence: 'The certificate to which the token is bound.',
    differs: 'A bound token is accepted only with its certificate.',
  },
  'header alg': { sentence: 'The algorithm of the signature.' },
  'header typ': { sentence: 'The kind of the token.' },
  'header kid': { sentence: 'The published key that signed the token.', differs: key },
  'header x5t': { sentence: 'The same key. Only v1.0 tokens have it.', differs: key },
}

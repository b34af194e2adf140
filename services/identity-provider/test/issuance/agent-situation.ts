import {
  type Application,
  type AppRoleAssignment,
  type DirectoryChange,
  graphAppId,
  newAgentIdentity,
  put,
  type ServicePrincipal,
  systemRuntime,
  tokenExchangeAppId,
  tokenExchangeUri,
} from '@greeting/directory'
import { DirectoryIndex } from '../../../../test/fixtures/directory/directory-index.ts'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { agentSubject } from '../../src/issuance/agent-identity.ts'
import { decideToken } from '../../src/issuance/token-decision.ts'
import type { Refusal } from '../../src/refusals/refusal.ts'
import { clientCertificate } from '../endpoints/client-certificate.ts'
import {
  epochSeconds,
  now,
  ownIssuer,
  password,
  rulesOf,
  secret,
  tenantId,
} from './token-situation.ts'

export const blueprintId = guid(0xd0)
export const agentId = guid(0xe1)
const { credential: key } = await clientCertificate()

export type Situation = {
  readonly blueprint?: Partial<Application> | null
  readonly blueprintPrincipal?: Partial<ServicePrincipal> | null
  readonly agent?: Partial<ServicePrincipal>
  readonly ownRoles?: readonly string[]
  readonly blueprintRoles?: readonly string[]
  readonly inheritable?: 'allAllowed' | 'none'
  readonly changes?: readonly DirectoryChange[]
}

export const hi = appRole()
export const hello = appRole({ id: guid(0x52), value: 'CallHelloApiRole' })

function directoryOf({
  blueprint = {},
  blueprintPrincipal = {},
  agent = {},
  ownRoles = [hi.id],
  blueprintRoles = [],
  inheritable,
  changes = [],
}: Situation): DirectoryIndex {
  const assign = (principalId: string, roles: readonly string[]) =>
    roles.map((appRoleId) => {
      const id = `${principalId} ${appRoleId}`
      const part: Partial<AppRoleAssignment> = { id, principalId, appRoleId }
      return put('appRoleAssignment', appRoleAssignment(part))
    })
  const exchange = { id: guid(0xf2), appId: tokenExchangeAppId, identifierUris: [tokenExchangeUri] }
  const graph = { id: guid(0xf3), appId: graphAppId, displayName: 'Microsoft Graph' }
  const permission = { resourceAppId: guid(0xa0), scopes: 'none', roles: 'none' } as const
  const all: DirectoryChange[] = [
    put('tenant', tenant()),
    put('application', application({ identifierUris: ['api://greeting'], appRoles: [hi, hello] })),
    put('application', application(exchange)),
    put('application', application(graph)),
    ...[{}, exchange, graph].map((part) => put('servicePrincipal', servicePrincipal(part))),
    ...assign(guid(0xd1), blueprintRoles),
    ...assign(agentId, ownRoles),
  ]
  if (blueprint !== null) {
    const inheritablePermissions = inheritable ? [{ ...permission, roles: inheritable }] : []
    all.push(
      put(
        'application',
        application({
          id: guid(0xd2),
          appId: blueprintId,
          passwordCredentials: [password],
          blueprint: { sponsorIds: [], inheritablePermissions },
          ...blueprint,
        }),
      ),
    )
  }
  if (blueprintPrincipal !== null) {
    const part = { id: guid(0xd1), appId: blueprintId, displayName: 'Blueprint' }
    all.push(put('servicePrincipal', servicePrincipal({ ...part, ...blueprintPrincipal })))
  }
  const given = { displayName: 'Agent', sponsorIds: [], createdByAppId: null }
  for (const [id, agentIdentityBlueprintId] of [
    [agentId, blueprintId],
    [guid(0xe2), blueprintId],
    [guid(0xe3), guid(0xd9)],
  ] as const) {
    const one = newAgentIdentity(
      tenantId,
      { ...given, agentIdentityBlueprintId },
      systemRuntime,
      id,
    )
    all.push(put('servicePrincipal', id === agentId ? { ...one, ...agent } : one))
  }
  const directory = new DirectoryIndex()
  directory.apply(
    1,
    [...all, ...changes].map((change) => ({ ...change, mark: 'mark 1' })),
  )
  return directory
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The token of the blueprint for an agent. The decision takes its signature from the facts. */
const tokenFor = (claims: object = {}) =>
  `${encode({ alg: 'RS256', kid: 'key' })}.${encode({
    iss: ownIssuer,
    sub: agentSubject(tenantId, blueprintId, agentId),
    aud: tokenExchangeAppId,
    azp: blueprintId,
    iat: epochSeconds,
    exp: epochSeconds + 3600,
    uti: 'one',
    xms_ficinfo: 'CAAQABgAIAAoAjAA',
    ...claims,
  })}.c2ln`

type Sent = {
  readonly clientId?: string
  readonly resource?: string
  readonly fmiPath?: string
  readonly secret?: string
  readonly tls?: string
  /** Claims of the token for the agent; a secret is sent when they are absent. */
  readonly claims?: object
  readonly signature?: 'valid' | 'valid_own' | 'invalid' | 'token_type_forbidden'
  readonly isOnceOnly?: boolean
}

export function decide(situation: Situation, sent: Sent) {
  const { clientId = blueprintId, resource = tokenExchangeUri, fmiPath, signature } = sent
  const authentication = sent.tls
    ? ({ method: 'tls', sha256Thumbprint: sent.tls } as const)
    : sent.claims
      ? ({ method: 'assertion', assertion: tokenFor(sent.claims) } as const)
      : ({ method: 'secret', secret: sent.secret ?? secret } as const)
  const request = { tenant: tenantId, clientId, resource, authentication }
  return decideToken(
    directoryOf(situation),
    { ...request, ...(fmiPath !== undefined && { fmiPath }) },
    {
      rules: rulesOf({ usesAssertionsOnce: sent.isOnceOnly ?? false }),
      assertion: { signature: signature ?? 'valid_own' },
    },
    now,
  )
}

export const forAgent = { fmiPath: agentId }
/** The second request, which the agent makes with the token of its blueprint. */
export const asAgent = { clientId: agentId, resource: 'api://greeting', claims: {} }

const of = (sub: string) => ({ ...asAgent, claims: { sub } })
const deleted = { deletedDateTime: now }

type Row = [what: string, Situation, Sent, Refusal['reason']]

/** Requests by blueprints and agents that get no token. */
export const agentRefusals: readonly Row[] = [
  ['a blueprint for an API', {}, { resource: 'api://greeting' }, 'agent_resource_not_permitted'],
  [
    'a blueprint for an API, also with a role of it',
    { blueprintRoles: [hi.id] },
    { resource: 'api://greeting' },
    'agent_resource_not_permitted',
  ],
  ['a blueprint that names no agent', {}, {}, 'agent_path_missing'],
  ['fmi_path with another API', {}, { ...forAgent, resource: graphAppId }, 'agent_path_unexpected'],
  ['an agent that does not exist', {}, { fmiPath: guid(9) }, 'agent_unknown'],
  ['an agent of another blueprint', {}, { fmiPath: guid(0xe3) }, 'agent_unknown'],
  ['an ordinary client as the agent', {}, { fmiPath: guid(0xa0) }, 'agent_unknown'],
  ['the blueprint as its own agent', {}, { fmiPath: blueprintId }, 'agent_unknown'],
  ['a deleted agent', { agent: deleted }, forAgent, 'agent_unknown'],
  ['an agent of another tenant', { agent: { tenantId: guid(2) } }, forAgent, 'agent_unknown'],
  ['a disabled agent', { agent: { accountEnabled: false } }, forAgent, 'client_disabled'],
  [
    'a disabled blueprint',
    { blueprintPrincipal: { accountEnabled: false } },
    forAgent,
    'client_disabled',
  ],
  ['no blueprint principal', { blueprintPrincipal: null }, forAgent, 'service_principal_missing'],
  [
    'fmi_path of an ordinary application',
    { blueprint: { blueprint: null } },
    forAgent,
    'agent_path_unexpected',
  ],
  ['a wrong secret of the blueprint', {}, { ...forAgent, secret: 'wrong' }, 'secret_wrong'],

  ['an agent with the secret of its blueprint', {}, { clientId: agentId }, 'secret_wrong'],
  [
    'an agent with a secret that was stored for it',
    { agent: { passwordCredentials: [password] } },
    { clientId: agentId },
    'secret_wrong',
  ],
  [
    'an agent with a certificate that was stored for it',
    { agent: { keyCredentials: [key] } },
    { clientId: agentId, tls: key.sha256Thumbprint },
    'assertion_key_unknown',
  ],
  [
    'the token for a sibling',
    {},
    of(agentSubject(tenantId, blueprintId, guid(0xe2))),
    'federated_subject_unknown',
  ],
  [
    'the token of another blueprint',
    {},
    of(agentSubject(tenantId, guid(0xd9), agentId)),
    'federated_subject_unknown',
  ],
  [
    'the token of another tenant in its subject',
    {},
    of(agentSubject(guid(2), blueprintId, agentId)),
    'federated_subject_unknown',
  ],
  [
    'the token for the agent in another case',
    {},
    of(agentSubject(tenantId, blueprintId, agentId.toUpperCase())),
    'federated_subject_case_differs',
  ],
  ['a cut subject', {}, of(`/eid1/c/pub/t/${agentId}`), 'federated_subject_unknown'],
  ['the exchange token of an ordinary client', {}, of(guid(0xb1)), 'federated_subject_unknown'],
  [
    'the token of another issuer',
    {},
    { ...asAgent, claims: { iss: 'https://login.test/other/v2.0' } },
    'federated_issuer_unknown',
  ],
  [
    'an access token',
    {},
    { ...asAgent, claims: { aud: guid(0xa0) } },
    'federated_audience_unknown',
  ],
  [
    'a token with an invalid signature, or an expired one',
    {},
    { ...asAgent, signature: 'invalid' },
    'federated_assertion_invalid',
  ],
  [
    'a token of another type',
    {},
    { ...asAgent, signature: 'token_type_forbidden' },
    'federated_token_type_forbidden',
  ],
  [
    'an agent that was disabled since',
    { agent: { accountEnabled: false } },
    asAgent,
    'client_disabled',
  ],
  ['an agent that was deleted since', { agent: deleted }, asAgent, 'client_unknown'],
  [
    'an agent whose blueprint was disabled since',
    { blueprintPrincipal: { accountEnabled: false } },
    asAgent,
    'client_disabled',
  ],
  [
    'an agent whose blueprint principal was deleted since',
    { blueprintPrincipal: deleted },
    asAgent,
    'service_principal_missing',
  ],
  [
    'an agent whose blueprint was deleted since',
    { blueprint: deleted },
    asAgent,
    'service_principal_missing',
  ],
  [
    'an agent whose blueprint is an ordinary application now',
    { blueprint: { blueprint: null } },
    asAgent,
    'service_principal_missing',
  ],
  [
    'an agent for token exchange',
    {},
    { ...asAgent, resource: tokenExchangeUri },
    'agent_resource_not_permitted',
  ],
  [
    'an agent that names an agent',
    {},
    { ...asAgent, fmiPath: guid(0xe2) },
    'agent_path_unexpected',
  ],
]

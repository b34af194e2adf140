import {
  type Application,
  createPassword,
  type DirectoryChange,
  graphAppId,
  type KeyCredential,
  put,
  type ServicePrincipal,
  systemRuntime,
  type Tenant,
} from '@greeting/directory'
import { DirectoryIndex } from '../../../../test/fixtures/directory/directory-index.ts'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  policy,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import type { AssertionFacts } from '../../src/issuance/client-authentication.ts'
import type { ClientAuthentication, TokenRequest } from '../../src/issuance/token-request.ts'
import { clientCertificate } from '../endpoints/client-certificate.ts'

export const now = new Date('2030-01-01T12:00:00Z')
export const epochSeconds = now.getTime() / 1000
export const second = (offset: number) => new Date(now.getTime() + offset * 1000)
export const tenantId = guid(1)
export const clientId = guid(0xa1)
export const apiId = guid(0xa0)
export const audience = 'https://login.test/token'
export const ownIssuer = 'https://login.test/own/v2.0'
export const issuer = 'https://issuer.test'

export const { credential: password, secretText: secret } = createPassword(
  { startDateTime: second(-100), endDateTime: second(100) },
  systemRuntime,
)
export const federated = {
  id: guid(0xf1),
  name: 'pipeline',
  description: null,
  issuer,
  subject: 'job',
  audiences: ['api://exchange'],
}

/** A client whose federated credential has an expression instead of a subject. */
export const trustsExpression = {
  federatedIdentityCredentials: [
    {
      ...federated,
      subject: null,
      claimsMatchingExpression: "claims['sub'] matches 'repo:contoso/*'",
    },
  ],
}

/** The directory of one row, as its differences from a client that gets the role CallHiApiRole. */
export type Situation = {
  readonly tenant?: Partial<Tenant>
  readonly client?: Partial<Application>
  readonly clientPrincipal?: Partial<ServicePrincipal> | null
  readonly api?: Partial<Application>
  readonly apiPrincipal?: Partial<ServicePrincipal>
  /** A principal of the server, which presents its own token as the assertion, and its tenant. */
  readonly presenter?: Partial<ServicePrincipal>
  readonly presenterTenant?: Partial<Tenant>
  readonly assignedRoles?: readonly string[]
  readonly request?: Partial<TokenRequest> & { readonly secret?: string }
  /** The claims and the header of an assertion; a secret is sent when it is absent. */
  readonly assertion?: { claims?: object; header?: object } | string
  /** The thumbprint of the certificate of mutual TLS, in place of a secret. */
  readonly tls?: string
  readonly facts?: AssertionFacts
  readonly usesAssertionsOnce?: boolean
}

const mapping = policy(1, { kind: 'claimsMapping' })
/** An API with a claims mapping policy. */
export const mapped = {
  tenant: { policies: [mapping, policy(2, { kind: 'tokenLifetime' })] },
  apiPrincipal: { policyIds: [mapping.id] },
}
const bySecret = { method: 'secret' }
const acceptsMapping = { inertProperties: { api: { acceptMappedClaims: true } } }
/** Situations in which the policy does not refuse a token. */
export const unaffectedByMapping: readonly [string, () => Situation, object][] = [
  ['for an API that accepts mapped claims', () => ({ ...mapped, api: acceptsMapping }), bySecret],
  [
    'for an API of this server (entra E358)',
    () => ({
      ...mapped,
      api: { appId: graphAppId },
      apiPrincipal: { ...mapped.apiPrincipal, appId: graphAppId },
    }),
    bySecret,
  ],
  [
    'for an API with a policy of another kind',
    () => ({ ...mapped, apiPrincipal: { policyIds: [guid(2)] } }),
    bySecret,
  ],
]

const { credential: clientKey } = await clientCertificate()
/** A certificate of the client that is valid now. */
export const certificate: KeyCredential = {
  ...clientKey,
  startDateTime: second(-100),
  endDateTime: second(100),
}

export function directoryOf(row: Situation): DirectoryIndex {
  const client = application({
    id: guid(0xa2),
    appId: clientId,
    displayName: 'Job',
    passwordCredentials: [password],
    keyCredentials: [certificate],
    federatedIdentityCredentials: [federated],
    ...row.client,
  })
  const api = application({
    identifierUris: ['api://greeting'],
    appRoles: [appRole(), appRole({ id: guid(0x52), value: 'CallHelloApiRole' })],
    ...row.api,
  })
  const changes: DirectoryChange[] = [
    put('tenant', tenant(row.tenant)),
    put('application', client),
    put('application', api),
    put('servicePrincipal', servicePrincipal(row.apiPrincipal)),
    ...(row.assignedRoles ?? [appRole().id]).map((appRoleId, index) =>
      put('appRoleAssignment', appRoleAssignment({ id: `${index}`, appRoleId })),
    ),
  ]
  if (row.clientPrincipal !== null) {
    const principal = {
      id: guid(0xb1),
      appId: clientId,
      displayName: 'Job',
      ...row.clientPrincipal,
    }
    changes.push(put('servicePrincipal', servicePrincipal(principal)))
  }
  if (row.presenter !== undefined) {
    const { tenantId: owner = tenantId } = row.presenter
    const ids = { id: guid(0xb3), appId: guid(0xa3), displayName: 'Identity' }
    changes.push(
      put('application', application({ ...ids, id: guid(0xa4), tenantId: owner })),
      put('servicePrincipal', servicePrincipal({ ...ids, ...row.presenter })),
    )
  }
  if (row.presenterTenant !== undefined) changes.push(put('tenant', tenant(row.presenterTenant)))
  const directory = new DirectoryIndex()
  directory.apply(
    1,
    changes.map((change) => ({ ...change, mark: 'mark 1' })),
  )
  return directory
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** An assertion whose signature is not valid: the decision takes the signature from the facts. */
function assertionOf({ claims = {}, header = {} }: { claims?: object; header?: object }): string {
  const usual = { iss: clientId, sub: clientId, aud: audience, exp: epochSeconds + 300, jti: 'one' }
  const names = { alg: 'PS256', 'x5t#S256': certificate.sha256Thumbprint }
  return `${encode({ ...names, ...header })}.${encode({ ...usual, ...claims })}.c2ln`
}

export const rulesOf = (row: Situation) => ({
  assertionTimes: { clockToleranceSeconds: 60, maxLifetimeSeconds: 600 },
  assertionAudiences: () => new Set([audience]),
  ownIssuers: () => [ownIssuer],
  usesAssertionsOnce: row.usesAssertionsOnce ?? false,
  acceptsLabSecrets: false,
})

function authenticationOf({ assertion, request, tls }: Situation): ClientAuthentication {
  if (tls !== undefined) return { method: 'tls', sha256Thumbprint: tls }
  if (assertion === undefined) return { method: 'secret', secret: request?.secret ?? secret }
  const text = typeof assertion === 'string' ? assertion : assertionOf(assertion)
  return { method: 'assertion', assertion: text }
}

export function requestOf(row: Situation) {
  const { request = {} } = row
  return {
    tenant: request.tenant ?? tenantId,
    clientId: request.clientId ?? clientId,
    resource: request.resource ?? 'api://greeting',
    resourceParameter: request.resourceParameter,
    authentication: authenticationOf(row),
  }
}

/** The parts of an assertion that another issuer signs. */
export const ofIssuer = (claims: object = {}) => ({
  header: { alg: 'RS256' },
  claims: { iss: issuer, sub: 'job', aud: 'api://exchange', iat: epochSeconds, ...claims },
})

/** An assertion that is a token of this server. */
export const exchanged = ({
  claims = {},
  ...row
}: Situation & { claims?: object } = {}): Situation => ({
  assertion: ofIssuer({ sub: guid(0xb3), xms_ficinfo: 'CAAQABgAIAAoAjAA', ...claims }),
  presenter: {},
  ...row,
  client: { federatedIdentityCredentials: [{ ...federated, subject: guid(0xb3) }], ...row.client },
  facts: { signature: 'valid_own', isFirstUse: true },
})

// Folder: The server, as its portal uses it.

import { privilegedApiAppIds } from '@greeting/directory'
import type { ReplayCache } from '@greeting/directory/audit'
import type { PortalHost, TokenPreview } from '@greeting/portal'
import type { Hono } from 'hono'
import { issuerV1, issuerV2 } from '../dialect/authority.ts'
import { claimTable } from '../dialect/token/claim-table.ts'
import { createOpaqueClaims } from '../dialect/token/opaque-claims.ts'
import { lifetimeOf, tokenTimes } from '../dialect/token/token-times.ts'
import { tokenVersionOf } from '../dialect/token/token-versions.ts'
import type { ServiceOptions } from '../endpoints/service-options.ts'
import { sourceAddress } from '../endpoints/source-address.ts'
import { isAgent } from '../issuance/agent-identity.ts'
import { findClient } from '../issuance/client.ts'
import { decideAccess, findIssuingTenant } from '../issuance/token-decision.ts'
import type { Authenticate, ManagementCaller } from '../management/privileges/caller.ts'
import { graphRoles } from '../management/privileges/graph-roles.ts'
import { serverRoles } from '../management/privileges/server-roles.ts'
import { Refused } from '../refusals/refusal.ts'
import { refusalTable, rowOf } from '../refusals/refusal-table.ts'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { longestTokenSeconds } from '../signing/key-schedule.ts'
import { SigningError } from '../signing/signing-error.ts'
import { isAdministrator, signInAdministrator } from './administrator-sign-in.ts'

/** The parts of a server that its portal uses. */
export type PortalHostOptions = Pick<
  PortalHost,
  'httpsAuthUrl' | 'metricsUrl' | 'requestToken' | 'lab'
> & {
  readonly service: ServiceOptions
  /** The management APIs, with the authentication `portalCallerOf`. */
  readonly management: Pick<Hono, 'fetch'>
  /** The operations of the lab, with the same authentication; undefined when it is off. */
  readonly labOperations: Pick<Hono, 'fetch'> | undefined
  readonly keyEncryptionKey: KeyEncryptionKey
  readonly usedUp: ReplayCache
}

/** The environment of a request of the portal: its caller, which no request of the network can set. */
type PortalCaller = { readonly portalCaller: ManagementCaller }

/** Every management role. Each operation keeps those that the administrator has now. */
const roles = [...Object.keys(graphRoles), ...Object.keys(serverRoles)]

/** Reads the caller of a portal request from its environment. */
export const portalCallerOf: Authenticate = async (_request, environment) =>
  (environment as PortalCaller).portalCaller

/** Gives the portal its view of this server at one URL. */
export function portalHost(options: PortalHostOptions): PortalHost {
  const { service, management, labOperations, keyEncryptionKey, usedUp, ...rest } = options
  const { authority, directory, source } = service
  const sealing = KeyEncryptionKey.parse(
    Buffer.from(keyEncryptionKey.derive('values that the portal seals')).toString('base64'),
  )
  return {
    ...rest,
    authUrl: authority.authUrl,
    issuersOf: (tenantId) => ({
      v1: issuerV1(authority, tenantId),
      v2: issuerV2(authority, tenantId),
    }),
    managementApiIds: privilegedApiAppIds,
    longestTokenSeconds,
    claims: new Map(Object.entries(claimTable)),
    now: source.now,
    newGuid: source.newGuid,
    call: ({ tenantId, applicationId }, request) => {
      const environment: PortalCaller = { portalCaller: { tenantId, applicationId, roles } }
      const isOfLab = new URL(request.url).pathname.startsWith('/lab/')
      return (isOfLab && labOperations ? labOperations : management).fetch(request, environment)
    },
    previewToken: (tenantId, clientId, resourceName, now) =>
      previewToken(service, { tenantId, clientId, resourceName }, now),
    publishedKeys: () => service.keys.published(),
    refusals: new Map(Object.entries(refusalTable)),
    signIn: (attempt, action) => signInAdministrator(service, attempt, action),
    isAdministrator: async (administrator, now) =>
      directory.read((current) => isAdministrator(current, administrator, now)),
    namesOf: async ({ tenantId, applicationId }) =>
      directory.read((current) => ({
        administratorName: current.applicationByAppId(applicationId)?.displayName ?? '',
        tenantName: current.tenant(tenantId)?.displayName ?? '',
      })),
    addressOf: (env) => sourceAddress(env?.incoming, service.trustedProxies),
    seal: (purpose, text) => sealing.seal(Buffer.from(text), purpose),
    open: (purpose, sealed) => {
      try {
        return sealing.open(sealed, purpose).toString()
      } catch (cause) {
        if (cause instanceof SigningError) return undefined
        throw cause
      }
    },
    formKey: keyEncryptionKey.derive('tokens of the forms of the portal'),
    usedUp,
    storeWentBackAt: service.storeWentBackAt,
    clockToleranceSeconds: service.assertionTimes.clockToleranceSeconds,
    reportFailure: (cause) => service.log.error({ err: cause }, 'portal request failed'),
  }
}

type PreviewRequest = Readonly<Record<'tenantId' | 'clientId' | 'resourceName', string>>

/**
 * Creates the token that a client would get for an API, with the code that issues tokens. It authenticates
 * no client, so the result must not leave the server: the guard checks it, and the page shows its claims.
 */
async function previewToken(
  service: ServiceOptions,
  { tenantId, clientId, resourceName }: PreviewRequest,
  now: Date,
): Promise<TokenPreview> {
  const decision = await service.directory.read((directory) => {
    const tenant = findIssuingTenant(directory, tenantId)
    if (tenant instanceof Refused) return tenant
    const client = findClient(directory, tenant, clientId)
    if (client === undefined) {
      const refusal = {
        reason: 'client_unknown',
        clientId,
        tenantName: tenant.displayName,
      } as const
      return new Refused(refusal)
    }
    const { application, principal } = client
    if (principal === undefined)
      return new Refused({
        reason: 'service_principal_missing',
        clientId,
        tenantId: tenant.id,
      } as const)
    const authenticated = {
      client: { application, principal },
      method: isAgent(client) ? 'assertion' : 'secret',
      credentialId: '',
    } as const
    return decideAccess(directory, tenant, authenticated, { resource: resourceName })
  })
  if (decision instanceof Refused) {
    const { code, sentence } = rowOf(decision.refusal)
    return { refusal: decision.refusal.reason, code, sentence }
  }
  const { keyMembers, claims } = tokenVersionOf(decision)
  const times = tokenTimes(lifetimeOf(decision, service.lifetime), now, 0)
  const opaque = createOpaqueClaims(service.randomBytes, decision)
  const made = claims(decision, { authority: service.authority, times, opaque })
  return { token: await service.keys.sign(made, keyMembers) }
}

// Folder: The server, as its portal uses it.

import { privilegedApiAppIds } from '@greeting/directory'
import type { ReplayCache } from '@greeting/directory/audit'
import type { PortalHost } from '@greeting/portal'
import type { Hono } from 'hono'
import { issuerV1, issuerV2 } from '../dialect/authority.ts'
import { refusalTable } from '../dialect/refusals/refusal-table.ts'
import { claimTable } from '../dialect/token/claim-table.ts'
import type { ServiceOptions } from '../endpoints/service-options.ts'
import { sourceAddress } from '../endpoints/source-address.ts'
import type { Authenticate, ManagementCaller } from '../management/privileges/caller.ts'
import { graphRoles } from '../management/privileges/graph-roles.ts'
import { serverRoles } from '../management/privileges/server-roles.ts'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { longestTokenSeconds } from '../signing/key-schedule.ts'
import { SigningError } from '../signing/signing-error.ts'
import { isAdministrator, signInAdministrator } from './administrator-sign-in.ts'
import { previewToken } from './token-preview.ts'

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

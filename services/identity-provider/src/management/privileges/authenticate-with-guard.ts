import { emptyGuid } from '@greeting/directory'
import type { DirectoryStore } from '@greeting/directory/live'
import { anyCaller, createGuard, type Guard, refusalRows } from '@greeting/guard'
import { readRequestCredentials } from '@greeting/guard/hono'
import { decodeJwt } from 'jose/jwt/decode'
import { refuse } from '../refusals/graph-error.ts'
import type { Authenticate, ManagementCaller } from './caller.ts'

export type AuthenticateWithGuardOptions = {
  /**
   * Base URLs of the issuers, without a slash at the end. An issuer is `{issuerUrl}/{tenant id}/`.
   * A server with several addresses has several issuers.
   */
  readonly issuerUrls: readonly string[]
  /** The names of this API in token requests. */
  readonly audiences: readonly string[]
  /** The values of the accepted roles. */
  readonly roles: readonly string[]
  /** The keys of this server's own key set. */
  readonly publishedKeys: () => readonly { readonly kid: string }[]
  /** Whether the server may sign with the public keys of `@greeting/testing`; default `refused`. */
  readonly testKeys?: 'refused' | 'accepted'
  /** Milliseconds since the epoch, by default `Date.now`. */
  readonly wallClockMs?: () => number
}

/**
 * Accepts the tokens of this server, from any of its tenants, with the guard that protects every
 * other API. The guard reads the keys from memory at each request, so the tokens of a revoked key are
 * refused immediately.
 *
 * Each tenant has its own guard, created at its first request. So the cost of a request does not
 * depend on the number of tenants.
 */
export function authenticateWithGuard(
  options: AuthenticateWithGuardOptions,
  store: Pick<DirectoryStore, 'read'>,
): Authenticate {
  const guards = new Map<string, Guard>()
  let guardOfNoTenant: Guard | undefined

  async function guardFor(tenantName: string): Promise<Guard> {
    const tenantId = await store.read((directory) => directory.tenant(tenantName)?.id)
    if (tenantId === undefined) {
      guards.delete(tenantName)
      // No tenant has this ID, so this guard refuses every token, with the description of the fault.
      guardOfNoTenant ??= createTenantGuard(options, emptyGuid)
      return guardOfNoTenant
    }
    const guard = guards.get(tenantId) ?? createTenantGuard(options, tenantId)
    guards.set(tenantId, guard)
    return guard
  }

  return async (request, environment): Promise<ManagementCaller> => {
    const credentials = readRequestCredentials(request, environment)
    const guard = await guardFor(tenantNamedIn(credentials.authorization))
    const decision = await guard.decide(credentials, anyCaller)
    if (decision.outcome === 'admitted') {
      const { applicationId, roles, tenantId = '' } = decision
      return { applicationId, roles, tenantId }
    }
    const { description, status } = refusalRows[decision.reason]
    if (decision.reason === 'no_credentials') throw refuse('token_missing')
    if (status === 400) throw refuse('credentials_malformed')
    if (status === 503) throw refuse('keys_unavailable')
    throw refuse('token_invalid', description)
  }
}

function createTenantGuard(options: AuthenticateWithGuardOptions, tenantId: string): Guard {
  const { issuerUrls, audiences, roles, publishedKeys, testKeys = 'refused', wallClockMs } = options
  const issuers = [...new Set(issuerUrls)].map((issuerUrl) => ({
    issuer: `${issuerUrl}/${tenantId}/`,
    audiences: [...audiences],
    tenantId,
    keys: publishedKeys,
    tokenVersion: '1.0',
    claims: { applicationId: 'appid', tokenId: 'uti' },
  }))
  return createGuard({ issuers, roles, testKeys }, wallClockMs && { wallClockMs })
}

/** The tenant in the token. It only selects the guard, which verifies the whole token. */
function tenantNamedIn(authorization: string | readonly string[] | undefined): string {
  if (typeof authorization !== 'string') return ''
  try {
    const { tid } = decodeJwt(authorization.slice(authorization.lastIndexOf(' ') + 1))
    return typeof tid === 'string' ? tid : ''
  } catch {
    return ''
  }
}

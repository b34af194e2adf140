import { anyCaller, createGuard, type Guard, refusalRows } from '@greeting/guard'
import { decodeJwt } from 'jose'
import type { Directory } from '../../directory/directory.ts'
import { emptyGuid } from '../../directory/guid.ts'
import type { Authenticate, ManagementCaller } from './caller.ts'
import { refuse } from './graph-error.ts'

export type AuthenticateWithGuardOptions = {
  /**
   * Where tokens are made, without a slash at its end: issuers are `{issuerUrl}/{tenant id}/`. There
   * are several where the server is reached in several ways.
   */
  readonly issuerUrls: readonly string[]
  /** The names under which tokens for this API can be asked for. */
  readonly audiences: readonly string[]
  /** The values of the roles that count. */
  readonly roles: readonly string[]
  /** The entries of this server's own key set. */
  readonly publishedKeys: () => readonly { readonly kid: string }[]
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly wallClockMs?: () => number
}

/** A guard for one tenant, and the keys that it verifies by. */
type TenantGuard = {
  readonly guard: Guard
  /** Joined ids of the keys; undefined before the first read. */
  readonly kidsInHand: () => string | undefined
}

/** The read in flight may have begun before a key was revoked; the one after it did not. */
const readsPerRequest = 3

/**
 * Lets in who has a token of this server, from any of its tenants, by the same guard that protects
 * every other API. The keys come from memory instead of over HTTP, and a key that is no longer
 * published, because it was revoked, is forgotten before the next request is judged.
 *
 * Each tenant has a guard of its own, made at its first request: what a request costs does not depend
 * on how many tenants there are.
 */
export function authenticateWithGuard(
  options: AuthenticateWithGuardOptions,
  read: () => Directory | Promise<Directory>,
): Authenticate {
  const guards = new Map<string, TenantGuard>()
  // Its tenant does not exist, so it refuses every token, each in the words for its fault.
  const strangers = makeGuard(options, emptyGuid)

  function guardFor(directory: Directory, tenantName: string): TenantGuard | undefined {
    const tenantId = directory.tenant(tenantName)?.id
    if (tenantId === undefined) {
      guards.get(tenantName)?.guard.stop()
      guards.delete(tenantName)
      return undefined
    }
    const known = guards.get(tenantId) ?? makeGuard(options, tenantId)
    guards.set(tenantId, known)
    return known
  }

  async function readKeys({ guard, kidsInHand }: TenantGuard): Promise<void> {
    for (let reads = 0; kidsOf(options.publishedKeys()) !== kidsInHand(); reads += 1) {
      if (reads === readsPerRequest) throw refuse('keys_unavailable')
      await guard.start()
    }
  }

  return async (request, environment): Promise<ManagementCaller> => {
    const presented = presentedBy(request, environment)
    const known = guardFor(await read(), tenantNamedIn(presented.authorization))
    if (known !== undefined) await readKeys(known)
    const decision = await (known ?? strangers).guard.decide(presented, anyCaller)
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

function makeGuard(
  {
    issuerUrls,
    audiences,
    roles,
    publishedKeys,
    wallClockMs = Date.now,
  }: AuthenticateWithGuardOptions,
  tenantId: string,
): TenantGuard {
  let kidsRead: string | undefined
  let kidsInHand: string | undefined
  const keySetUrl = `${issuerUrls[0]}/${tenantId}/discovery/keys`
  const guard = createGuard(
    {
      issuers: [...new Set(issuerUrls)].map((issuerUrl) => ({
        issuer: `${issuerUrl}/${tenantId}/`,
        audiences: [...audiences],
        tenantId,
        // One key set for all issuers, so that one read brings all keys.
        keySetUrl,
        tokenVersion: '1.0',
        claims: { applicationId: 'appid', tokenId: 'uti' },
      })),
      roles,
      keySets: { cooldownSeconds: 1 },
      // Only now the guard verifies by the keys that it has read.
      listener: ({ type }) => {
        if (type === 'key_set_refreshed') kidsInHand = kidsRead
      },
    },
    {
      fetch: async () => {
        const keys = publishedKeys()
        kidsRead = kidsOf(keys)
        return Response.json({ keys })
      },
      wallClockMs,
    },
  )
  return { guard, kidsInHand: () => kidsInHand }
}

const kidsOf = (keys: readonly { readonly kid: string }[]): string =>
  keys.map(({ kid }) => kid).join()

/** The tenant that a token names. It only chooses the guard, which verifies the whole token. */
function tenantNamedIn(authorization: string | readonly string[] | undefined): string {
  if (typeof authorization !== 'string') return ''
  try {
    const { tid } = decodeJwt(authorization.slice(authorization.lastIndexOf(' ') + 1))
    return typeof tid === 'string' ? tid : ''
  } catch {
    return ''
  }
}

/** What a request presents. Of several `Authorization` fields Node's own request tells. */
function presentedBy({ headers, url }: Request, environment: unknown) {
  const authorization = headers.get('authorization') ?? undefined
  const raw = rawHeadersOf(environment)
  const given = raw?.filter(
    (_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'authorization',
  )
  return {
    authorization: given !== undefined && given.length > 1 ? given : authorization,
    target: url,
  }
}

function rawHeadersOf(environment: unknown): readonly string[] | undefined {
  const { incoming } = (environment ?? {}) as { incoming?: { rawHeaders?: readonly string[] } }
  return incoming?.rawHeaders
}

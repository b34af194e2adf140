import { anyCaller, createGuard, type Guard, refusalRows } from '@greeting/guard'
import type { Directory } from '../../directory/directory.ts'
import type { Authenticate, Caller } from './caller.ts'
import { refuse } from './graph-error.ts'

export type GuardedCallersOptions = {
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

/**
 * Lets in who has a token of this server, from any of its tenants, by the same guard that protects
 * every other API. The keys come from memory instead of over HTTP, and a key that is no longer
 * published, because it was revoked, is forgotten before the next request is judged.
 */
export function guardedCallers(
  options: GuardedCallersOptions,
  read: () => Directory | Promise<Directory>,
): Authenticate {
  let current: { readonly guard: Guard; readonly tenantIds: string } | undefined
  let kidsInHand: string | undefined

  async function freshGuard(): Promise<Guard | undefined> {
    const tenantIds = [...(await read()).tenants()].map(({ id }) => id).sort()
    if (tenantIds.length === 0) return undefined
    if (current?.tenantIds !== tenantIds.join()) {
      current?.guard.stop()
      current = { guard: makeGuard(options, tenantIds), tenantIds: tenantIds.join() }
      kidsInHand = undefined
    }
    const { guard } = current
    const kids = options
      .publishedKeys()
      .map(({ kid }) => kid)
      .join()
    if (kids !== kidsInHand) {
      await guard.start()
      kidsInHand = kids
    }
    return guard
  }

  return async (request, environment): Promise<Caller> => {
    const guard = await freshGuard()
    if (guard === undefined) throw refuse('callerUnknown')
    const decision = await guard.decide(presentedBy(request, environment), anyCaller)
    if (decision.outcome === 'admitted') {
      const { applicationId, roles, tenantId = '' } = decision
      return { applicationId, roles, tenantId }
    }
    const { description, status } = refusalRows[decision.reason]
    if (decision.reason === 'no_credentials') throw refuse('tokenMissing')
    if (status === 400) throw refuse('credentialsMalformed')
    if (status === 503) throw refuse('keysUnavailable')
    throw refuse('tokenInvalid', description)
  }
}

function makeGuard(
  { issuerUrls, audiences, roles, publishedKeys, wallClockMs = Date.now }: GuardedCallersOptions,
  tenantIds: readonly string[],
): Guard {
  return createGuard(
    {
      issuers: tenantIds.flatMap((tenantId) =>
        [...new Set(issuerUrls)].map((issuerUrl) => ({
          issuer: `${issuerUrl}/${tenantId}/`,
          audiences: [...audiences],
          tenantId,
          keySetUrl: `${issuerUrl}/${tenantId}/discovery/keys`,
          tokenVersion: '1.0',
          claims: { applicationId: 'appid', tokenId: 'uti' },
        })),
      ),
      roles,
      keySets: { cooldownSeconds: 1 },
    },
    { fetch: async () => Response.json({ keys: publishedKeys() }), wallClockMs },
  )
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

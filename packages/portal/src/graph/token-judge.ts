import {
  anyCaller,
  createGuard,
  type IssuerOptions,
  type RefusalReason,
  refusalRows,
} from '@greeting/guard'
import { decode } from 'hono/jwt'
import { z } from 'zod'
import type { AdministratorRequest } from './administrator-request.ts'
import type { Principal } from './applications.ts'

type Json = Readonly<Record<string, unknown>>

/** The readable parts of a token. Nothing of them is verified. */
export type DecodedToken = { readonly header: Json; readonly claims: Json }

const readable = z.object({
  header: z.record(z.string(), z.unknown()),
  payload: z.record(z.string(), z.unknown()),
})

/** The header and the claims of a token; undefined when it has not the form of a JWT. */
export function decodeToken(token: string): DecodedToken | undefined {
  try {
    const { header, payload } = readable.parse(decode(token))
    // Throws for a value that is nested too deeply to be written.
    JSON.stringify([header, payload])
    return { header, claims: payload }
  } catch {
    return undefined
  }
}

const maxTimeSeconds = 8_640_000_000_000

/** The instant of a claim in seconds since the epoch; undefined for any other value. */
export const instantOf = (claim: unknown): Date | undefined =>
  typeof claim === 'number' && Math.abs(claim) <= maxTimeSeconds
    ? new Date(claim * 1000)
    : undefined

/** A claim as people read and copy it: a text as it is, any other value as JSON. */
export const claimText = (claim: unknown): string =>
  typeof claim === 'string' ? claim : (JSON.stringify(claim) ?? 'absent')

/** What a check compares: the settings of the guard with the parts of a token. */
type Compared = DecodedToken & {
  readonly request: AdministratorRequest
  readonly issuers: readonly IssuerOptions[]
}

const timeText = (claim: unknown) => instantOf(claim)?.toISOString() ?? claimText(claim)

/**
 * The checks of the guard in their order: the reasons of their refusals, what is expected and received.
 * The format has every reason that no check has.
 */
const checks: readonly {
  readonly name: string
  readonly reasons: readonly RefusalReason[]
  readonly compare: (compared: Compared) => readonly [expected: string, received: string]
}[] = [
  {
    name: 'Format',
    reasons: ['type_not_access_token', 'claims_malformed'],
    compare: ({ header }) => [
      'a JWT with alg RS256 and typ JWT or at+jwt',
      `alg ${claimText(header.alg)}, typ ${claimText(header.typ)}`,
    ],
  },
  {
    name: 'Issuer',
    reasons: ['issuer_not_trusted'],
    compare: ({ issuers, claims }) => [
      issuers.map(({ issuer }) => issuer).join(' or '),
      claimText(claims.iss),
    ],
  },
  {
    name: 'Key and signature',
    reasons: ['key_unknown', 'keys_unavailable', 'signature_invalid'],
    compare: ({ request, header }) => [
      `signed by the key ${(request.host.publishedKeys() as Json[]).map(({ kid }) => kid).join(' or ')}`,
      `kid ${claimText(header.kid)}`,
    ],
  },
  {
    name: 'Tenant, audience and type',
    reasons: [
      'tenant_not_trusted',
      'audience_not_ours',
      'type_not_access_token',
      'claims_malformed',
      'binding_not_proven',
    ],
    compare: ({ issuers, claims: { iss, tid, aud, ver, cnf } }) => {
      const { tenantId, audiences, tokenVersion } =
        issuers.find(({ issuer }) => issuer === iss) ?? {}
      return [
        `app-only, tid ${tenantId}, aud ${audiences?.join(' or ')}, ver ${tokenVersion}; x5t#S256 in any cnf`,
        `tid ${claimText(tid)}, aud ${claimText(aud)}, ver ${claimText(ver)}, cnf ${claimText(cnf)}`,
      ]
    },
  },
  {
    name: 'Time',
    reasons: ['expired', 'not_yet_valid'],
    compare: ({ request, claims: { iat, nbf = iat, exp } }) => [
      `valid at ${request.now.toISOString()}, with a tolerance of 60 seconds`,
      `from ${timeText(nbf)} to ${timeText(exp)}`,
    ],
  },
  {
    name: 'Certificate',
    reasons: ['binding_not_proven'],
    compare: ({ claims }) => [
      'no cnf, or the client certificate of the connection',
      `cnf ${claimText(claims.cnf)}`,
    ],
  },
]

/** What the guard says to a token: each check, with what it expected and received, and each route. */
export type Judgement = Awaited<ReturnType<typeof judgeToken>>

/** The guard of an API of this tenant, with its roles and issuers. A token has the version of its issuer. */
export function guardOf(
  { host, session: { tenantId }, now }: AdministratorRequest,
  { appId, servicePrincipalNames, appRoles }: Principal,
  nowMs = now.getTime(),
) {
  const { v1, v2 } = host.issuersOf(tenantId)
  const names = [...new Set([...servicePrincipalNames, appId])]
  const versions = [
    ['1.0', v1, names, 'appid'],
    ['2.0', v2, [appId], 'azp'],
  ] as const
  const issuers = versions.map(([tokenVersion, issuer, audiences, applicationId]) => {
    const claims = { applicationId, tokenId: 'uti' }
    return { tenantId, keys: host.publishedKeys, issuer, audiences, tokenVersion, claims }
  })
  const enabled = appRoles.flatMap(({ value, isEnabled }) => (value && isEnabled ? [value] : []))
  const roles = [...new Set(enabled)]
  const guard = createGuard(
    {
      issuers,
      roles: roles.length > 0 ? roles : ['no role is declared'],
      // The keys are those of this server, which uses test keys only in a lab.
      testKeys: 'accepted',
    },
    { wallClockMs: () => nowMs },
  )
  /** The reason of a refusal; undefined for an admitted token. */
  const reasonOf = async (token: string, role: string | typeof anyCaller = anyCaller) => {
    const decision = await guard.decide({ authorization: `Bearer ${token}`, target: '/' }, role)
    return decision.outcome === 'admitted' ? undefined : decision.reason
  }
  return { issuers, roles, reasonOf }
}

/** Judges a token with the guard, as an API of this tenant does: each check, and each role. */
export async function judgeToken(request: AdministratorRequest, api: Principal, token: string) {
  const { issuers, roles, reasonOf } = guardOf(request, api)
  const failed = await reasonOf(token)
  const routes = await Promise.all(
    roles.map(async (role) => {
      const reason = await reasonOf(token, role)
      const route = `A route that requires ${role}`
      return { route, role, status: reason ? refusalRows[reason].status : 200, reason }
    }),
  )
  // Of two checks with one reason, the first refuses the token without its signature; that of cnf, at any time.
  const unsigned = `${token.slice(0, token.lastIndexOf('.') + 1)}AAAA`
  const probe = failed === 'binding_not_proven' ? token : unsigned
  const isFirst = failed === (await guardOf(request, api, Infinity).reasonOf(probe))
  const having = checks.flatMap(({ reasons }, at) => (failed && reasons.includes(failed) ? at : []))
  const position = failed ? (having.at(isFirst ? 0 : -1) ?? 0) : checks.length
  const decoded = decodeToken(token)
  return {
    routes,
    checks: checks.map(({ name, compare }, index) => {
      const isReached = decoded && index <= position
      const [expected, received] = isReached ? compare({ ...decoded, request, issuers }) : ['', '']
      const reason = index === position && failed && `${failed}: ${refusalRows[failed].description}`
      const verdict = index < position ? 'passed' : index === position ? 'failed' : 'not reached'
      return { name, verdict, reason, expected, received } as const
    }),
  }
}

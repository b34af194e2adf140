import {
  anyCaller,
  createGuard,
  type IssuerOptions,
  type RefusalReason,
  refusalRows,
} from '@greeting/guard'
import type { AdministratorRequest } from './administrator-request.ts'
import type { Principal } from './applications.ts'

type Json = Readonly<Record<string, unknown>>

/** The readable parts of a token. Nothing of them is verified. */
export type DecodedToken = { readonly header: Json; readonly claims: Json }

/** The header and the claims of a token; undefined when it has not the form of a JWT. */
export function decodeToken(token: string): DecodedToken | undefined {
  const [header, claims] = token.split('.').map((part) => objectOf(part))
  return header && claims ? { header, claims } : undefined
}

function objectOf(part: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    // Throws for a value that is nested too deeply to be written.
    JSON.stringify(value)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Json)
      : undefined
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

/** The checks of the guard in their order: the reasons of their refusals, what is expected and received. */
const checks: readonly {
  readonly name: string
  readonly reasons: readonly RefusalReason[]
  readonly compare: (compared: Compared) => readonly [expected: string, received: string]
}[] = [
  {
    name: 'Form',
    // Every reason that no other check has.
    reasons: [],
    compare: ({ header }) => [
      'one JWT with alg RS256, and typ JWT or at+jwt',
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
    name: 'Tenant, audience and kind',
    reasons: [
      'tenant_not_trusted',
      'audience_not_ours',
      'type_not_access_token',
      'claims_malformed',
    ],
    compare: ({ issuers, claims: { iss, tid, aud, ver } }) => {
      const { tenantId, audiences, tokenVersion } =
        issuers.find(({ issuer }) => issuer === iss) ?? {}
      return [
        `of an application, tid ${tenantId}, aud ${audiences?.join(' or ')}, ver ${tokenVersion}`,
        `tid ${claimText(tid)}, aud ${claimText(aud)}, ver ${claimText(ver)}`,
      ]
    },
  },
  {
    name: 'Time',
    reasons: ['expired', 'not_yet_valid'],
    compare: ({ request, claims: { iat, nbf = iat, exp } }) => [
      `valid at ${request.now.toISOString()}, give or take 60 seconds`,
      `from ${timeText(nbf)} to ${timeText(exp)}`,
    ],
  },
  {
    name: 'Certificate',
    reasons: ['binding_not_proven'],
    compare: ({ claims }) => [
      'no cnf, or the certificate of the connection',
      `cnf ${claimText(claims.cnf)}`,
    ],
  },
]
const signatureCheck = 2

/** Routes of the greeting API, by the role that they require. */
const greetingRoutes: Readonly<Record<string, string>> = {
  CallHiApiRole: 'GET /api/v1/hi',
  CallHelloApiRole: 'GET /api/v1/hello',
}

/** What the guard says to a token: each check, with what it expected and received, and each route. */
export type Judgement = Awaited<ReturnType<typeof judgeToken>>

/** An API whose guard judges a token. */
export type JudgedApi = {
  readonly appId: string
  readonly names: readonly string[]
  readonly roles: readonly string[]
}

/** The API of a service principal. */
export const judgedApi = ({ appId, servicePrincipalNames, appRoles }: Principal): JudgedApi => ({
  appId,
  names: servicePrincipalNames,
  roles: [
    ...new Set(appRoles.flatMap(({ value, isEnabled }) => (value && isEnabled ? [value] : []))),
  ],
})

/** The issuers of this tenant, one for each version of tokens. */
function issuersOf(
  { host, session: { tenantId } }: AdministratorRequest,
  { appId, names }: JudgedApi,
): IssuerOptions[] {
  const { v1, v2 } = host.issuersOf(tenantId)
  const row = (
    tokenVersion: string,
    issuer: string,
    audiences: string[],
    applicationId: string,
  ) => ({
    tenantId,
    keys: host.publishedKeys,
    issuer,
    audiences,
    tokenVersion,
    claims: { applicationId, tokenId: 'uti' },
  })
  return [row('1.0', v1, [...new Set([...names, appId])], 'appid'), row('2.0', v2, [appId], 'azp')]
}

/** Asks the guard of an API of this tenant. */
function guardOf(request: AdministratorRequest, api: JudgedApi) {
  const guard = createGuard(
    {
      issuers: issuersOf(request, api),
      roles: api.roles.length > 0 ? api.roles : ['no role is declared'],
      // The keys are those of this server, which uses test keys only in a lab.
      testKeys: 'accepted',
    },
    { wallClockMs: () => request.now.getTime() },
  )
  return async (token: string, role: string | typeof anyCaller) => {
    const decision = await guard.decide({ authorization: `Bearer ${token}`, target: '/' }, role)
    return decision.outcome === 'admitted' ? undefined : decision.reason
  }
}

/** The reason why the guard refuses each token on a route of the API; undefined for an admitted token. */
export async function refusalReasons(
  request: AdministratorRequest,
  api: JudgedApi,
  tokens: readonly string[],
): Promise<readonly (RefusalReason | undefined)[]> {
  const reasonOf = guardOf(request, api)
  const [role = anyCaller] = api.roles
  return Promise.all(tokens.map((token) => reasonOf(token, role)))
}

/** Judges a token with the guard, as an API of this tenant does: each check, and each role. */
export async function judgeToken(request: AdministratorRequest, api: JudgedApi, token: string) {
  const reasonOf = guardOf(request, api)
  const failed = await reasonOf(token, anyCaller)
  const routes = await Promise.all(
    api.roles.map(async (role) => {
      const reason = await reasonOf(token, role)
      const route = greetingRoutes[role] ?? `A route that requires ${role}`
      return { route, role, status: reason ? refusalRows[reason].status : 200, reason }
    }),
  )
  // Two reasons belong to the form and to the claims. Without its signature, a token fails at its form only.
  const unsigned = `${token.slice(0, token.lastIndexOf('.') + 1)}AAAA`
  const isBeforeSignature = failed === (await reasonOf(unsigned, anyCaller))
  const last = checks.findIndex(({ reasons }) => failed !== undefined && reasons.includes(failed))
  const isOfForm = last < 0 || (last > signatureCheck && isBeforeSignature)
  const position = failed === undefined ? checks.length : isOfForm ? 0 : last
  const decoded = decodeToken(token)
  const compared = decoded && { ...decoded, request, issuers: issuersOf(request, api) }
  return {
    routes,
    checks: checks.map(({ name, compare }, index) => {
      const [expected, received] = compared && index <= position ? compare(compared) : ['', '']
      const reason = index === position && failed && `${failed}: ${refusalRows[failed].description}`
      const verdict = index < position ? 'passed' : index === position ? 'failed' : 'not reached'
      return { name, verdict, reason, expected, received } as const
    }),
  }
}

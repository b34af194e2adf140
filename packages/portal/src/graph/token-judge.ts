import { anyCaller, createGuard, type RefusalReason, refusalRows } from '@greeting/guard'
import type { AdministratorRequest } from './administrator-request.ts'
import type { Principal } from './applications.ts'

/** The checks of the guard in their order, with the reasons of their refusals. */
const checks: readonly { readonly name: string; readonly reasons: readonly RefusalReason[] }[] = [
  {
    name: 'One bearer token',
    reasons: ['no_credentials', 'credentials_malformed', 'credentials_repeated', 'token_in_query'],
  },
  {
    name: 'Form and algorithm',
    reasons: ['token_malformed', 'header_malformed', 'header_not_supported', 'algorithm_not_rs256'],
  },
  { name: 'Issuer', reasons: ['issuer_not_trusted'] },
  { name: 'Key and signature', reasons: ['key_unknown', 'keys_unavailable', 'signature_invalid'] },
  {
    name: 'Claims, audience and tenant',
    reasons: [
      'claims_malformed',
      'type_not_access_token',
      'tenant_not_trusted',
      'audience_not_ours',
    ],
  },
  { name: 'Time', reasons: ['expired', 'not_yet_valid'] },
  { name: 'Certificate binding', reasons: ['binding_not_proven'] },
]

/** Routes of the greeting API, by the role that they require. */
const greetingRoutes: Readonly<Record<string, string>> = {
  CallHiApiRole: 'GET /api/v1/hi',
  CallHelloApiRole: 'GET /api/v1/hello',
}

type CheckVerdict = {
  readonly name: string
  readonly verdict: 'passed' | 'failed' | 'not reached'
  readonly detail: string
}

type RouteVerdict = {
  readonly route: string
  readonly role: string
  readonly status: number
  readonly reason: string | undefined
}

export type Judgement = {
  readonly checks: readonly CheckVerdict[]
  readonly routes: readonly RouteVerdict[]
}

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

/** The guard of an API of this tenant. */
function guardOf(request: AdministratorRequest, { appId, names, roles }: JudgedApi) {
  const { tenantId } = request.session
  const { v1, v2 } = request.host.issuersOf(tenantId)
  const shared = { tenantId, keys: request.host.publishedKeys }
  return createGuard(
    {
      issuers: [
        {
          ...shared,
          issuer: v1,
          audiences: [...new Set([...names, appId])],
          tokenVersion: '1.0',
          claims: { applicationId: 'appid', tokenId: 'uti' },
        },
        {
          ...shared,
          issuer: v2,
          audiences: [appId],
          tokenVersion: '2.0',
          claims: { applicationId: 'azp', tokenId: 'uti' },
        },
      ],
      roles: roles.length > 0 ? roles : ['no role is declared'],
      // The keys are those of this server, which uses test keys only in a lab.
      testKeys: 'accepted',
    },
    { wallClockMs: () => request.now.getTime() },
  )
}

const credentialsOf = (token: string) => ({ authorization: `Bearer ${token}`, target: '/' })

/** The reason why the guard refuses each token on a route of the API; undefined for an admitted token. */
export async function refusalReasons(
  request: AdministratorRequest,
  api: JudgedApi,
  tokens: readonly string[],
): Promise<readonly (RefusalReason | undefined)[]> {
  const guard = guardOf(request, api)
  const [role = anyCaller] = api.roles
  const decisions = await Promise.all(
    tokens.map((token) => guard.decide(credentialsOf(token), role)),
  )
  return decisions.map((one) => (one.outcome === 'admitted' ? undefined : one.reason))
}

/** Judges a token with the guard, as an API of this tenant does: each check, and each role. */
export async function judgeToken(
  request: AdministratorRequest,
  api: JudgedApi,
  token: string,
): Promise<Judgement> {
  const guard = guardOf(request, api)
  const credentials = credentialsOf(token)
  const decision = await guard.decide(credentials, anyCaller)
  const failed = decision.outcome === 'admitted' ? undefined : decision.reason
  const routes = await Promise.all(
    api.roles.map(async (role): Promise<RouteVerdict> => {
      const one = await guard.decide(credentials, role)
      const isAdmitted = one.outcome === 'admitted'
      const route = greetingRoutes[role] ?? `A route that requires ${role}`
      return {
        route,
        role,
        status: isAdmitted ? 200 : refusalRows[one.reason].status,
        reason: isAdmitted ? undefined : one.reason,
      }
    }),
  )
  return { checks: checkVerdicts(failed), routes }
}

function checkVerdicts(failed: RefusalReason | undefined): CheckVerdict[] {
  const position = checks.findIndex(
    ({ reasons }) => failed !== undefined && reasons.includes(failed),
  )
  return checks.map(({ name }, index) => {
    if (position < 0 || index < position) return { name, verdict: 'passed', detail: '' }
    if (index > position) return { name, verdict: 'not reached', detail: '' }
    const detail = failed === undefined ? '' : `${failed}: ${refusalRows[failed].description}`
    return { name, verdict: 'failed', detail }
  })
}

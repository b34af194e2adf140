import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { apiName, type Principal, principalOf } from '../graph/applications.ts'
import {
  claimText,
  type DecodedToken,
  decodeToken,
  instantOf,
  type Judgement,
  judgeToken,
} from '../graph/token-judge.ts'
import type { PortalHost } from '../portal-host.ts'
import { copyable, type Html, mark, table, time } from './parts.ts'

type Claims = PortalHost['claims']

const times: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp'])

/** Each member of the header and each claim. */
const membersOf = ({ header, claims }: DecodedToken) =>
  new Map([
    ...Object.entries(header).map(([name, value]) => [`header ${name}`, value] as const),
    ...Object.entries(claims),
  ])

/** They exist in one version of tokens only. */
const versioned = new Set(['header x5t', 'appid', 'appidacr', 'azp', 'azpacr', 'idp'])

const setOf = (claim: unknown) => new Set(Array.isArray(claim) ? claim.map(claimText) : [])

/** Why a claim differs between two tokens. */
function reasonOf(claims: Claims, name: string, first: unknown, second: unknown): string {
  if (name === 'roles') {
    const only = (one: unknown, other: unknown) =>
      [...setOf(one).difference(setOf(other))].join(', ') || 'none'
    return `Only in the first: ${only(first, second)}. Only in the second: ${only(second, first)}. A token has the roles that had admin consent when it was issued.`
  }
  if (versioned.has(name) && (first === undefined || second === undefined))
    return 'Only one token version has this claim. The API decides the version.'
  return claims.get(name)?.differs ?? ''
}

const routeMark = ({ status, reason }: Judgement['routes'][number]) =>
  mark(reason ? 'bad' : 'good', reason ? `${status} ${reason}` : '200')

/** Two tokens side by side: the verdict of each route, then each claim. Those that differ come first. */
export function comparisonTable(
  claims: Claims,
  tokens: readonly { readonly decoded: DecodedToken; readonly judgement: Judgement }[],
): Html {
  const members = tokens.map(({ decoded }) => membersOf(decoded))
  const rows = [...new Set(members.flatMap((one) => [...one.keys()]))].map((name) => {
    const [first, second] = members.map((one) => one.get(name))
    const isSame = claimText(first) === claimText(second)
    const state = isSame
      ? mark('plain', 'same')
      : html`${mark('warn', 'differs')} ${reasonOf(claims, name, first, second)}`
    const values = [first, second].map((value) =>
      value === undefined ? mark('plain', 'absent') : copyable(claimText(value)),
    )
    return { isSame, cells: [html`<code>${name}</code>`, state, ...values] }
  })
  const routes = tokens[0]?.judgement.routes ?? []
  return table(
    'Comparison',
    ['Claim', 'Difference', 'First token', 'Second token'],
    [
      ...routes.map(({ route }, index) => [
        route,
        'The verdict of the guard.',
        ...tokens.map(({ judgement }) => judgement.routes.slice(index, index + 1).map(routeMark)),
      ]),
      ...rows
        .toSorted((one, other) => Number(one.isSame) - Number(other.isSame))
        .map(({ cells }) => cells),
    ],
    '',
  )
}

const kinds = { passed: 'good', failed: 'bad', 'not reached': 'plain' } as const

/** The verdict of the guard of an API on a token: each role, each check in its order; then each claim with its meaning. */
export async function judged(
  request: AdministratorRequest,
  api: Principal,
  token: string,
): Promise<Html> {
  const { routes, checks } = await judgeToken(request, api, token)
  const decoded = decodeToken(token)
  return html`<h3>Verdict of the guard</h3>
${table(
  'Routes',
  ['Route', 'Role', 'Verdict'],
  routes.map((one) => [one.route, html`<code>${one.role}</code>`, routeMark(one)]),
  'The API declares no role.',
)}
${table(
  'Checks',
  ['Check', 'Verdict', 'Expected', 'Received'],
  checks.map(({ name, verdict, reason, expected, received }, index) => [
    `${index + 1}. ${name}`,
    html`${mark(kinds[verdict], verdict)} ${reason}`,
    expected,
    received,
  ]),
  '',
)}
${
  decoded &&
  html`<h3>Claims</h3>${table(
    'Claims',
    ['Claim', 'Value', 'Meaning'],
    [...membersOf(decoded)].map(([name, value]) => [
      html`<code>${name}</code>`,
      html`${copyable(claimText(value))} ${times.has(name) && time(instantOf(value), request.now, '')}`,
      request.host.claims.get(name)?.sentence ?? '',
    ]),
    'The token has no claims.',
  )}`
}`
}

/** What a client would get for an API now: the token with the guard's decision, or the refusal. */
export async function preview(
  request: AdministratorRequest,
  client: string,
  api: string,
): Promise<Html> {
  const { host, session, now } = request
  const principal = await principalOf(request, api)
  const name = principal ? apiName(principal) : api
  const made = await host.previewToken(session.tenantId, client, name, now)
  return 'token' in made
    ? html`${principal && (await judged(request, principal, made.token))}<p>With its signature, the token has ${made.token.length} characters.</p>`
    : html`<p class="problem">AADSTS${made.code}: ${made.sentence} (<code>${made.refusal}</code>)</p>`
}

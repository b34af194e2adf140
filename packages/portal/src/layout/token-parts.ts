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
import { copyable, type Html, mark, table, time } from './parts.ts'

/** The meaning of each claim of an access token. */
export const claimSentences: Readonly<Record<string, string>> = {
  aud: 'The API for which the token is issued. Another API refuses it.',
  iss: 'The issuer: this identity provider, in this tenant.',
  iat: 'When it was issued. It is in the past, for APIs whose clock is behind.',
  nbf: 'It is not valid before this time.',
  exp: 'It is not valid from this time on.',
  aio: 'Internal to the identity provider.',
  app_displayname: 'The name of the client. Only tokens for Microsoft Graph have it.',
  appid: 'The application ID of the client.',
  azp: 'The application ID of the client.',
  appidacr:
    'How the client authenticated: 1 is a secret, 2 is a certificate, a federated token or a managed identity.',
  azpacr:
    'How the client authenticated: 1 is a secret, 2 is a certificate, a federated token or a managed identity.',
  idp: 'The identity provider that authenticated the client.',
  idtyp: 'The token is for an application, not for a user.',
  oid: 'The object ID of the service principal of the client.',
  rh: 'Internal to the identity provider: the tenant and the API.',
  roles: 'The app roles of the API that the client has.',
  sub: 'The subject: the service principal of the client.',
  tenant_region_scope: 'The region of the tenant: WW here.',
  tid: 'The tenant.',
  uti: 'The ID of this token.',
  ver: 'The version of the token. The API decides it, not the endpoint.',
  wids: 'Directory roles. Each token for Microsoft Graph has this one, which permits nothing.',
  xms_act_fct: 'Facets of the actor: 11 is an agent. Only odd numbers count.',
  xms_sub_fct: 'Facets of the subject: 11 is an agent. Only odd numbers count.',
  xms_cc: 'What the client is capable of: cp1 stands for claims challenges.',
  xms_tcdt: 'When the tenant was created.',
  xms_tnt_fct: 'Facets of the tenant.',
  xms_idrel: 'How the client belongs to the tenant: 7 is a service principal.',
  xms_par_app_azp:
    'The application ID of the blueprint of the agent. It is for logs, not for decisions.',
  xms_ficinfo: 'Internal to the identity provider.',
  xms_ftd: 'Internal to the identity provider.',
  xms_mirid: 'The resource in Azure of the managed identity.',
  cnf: 'The certificate to which the token is bound.',
  'header alg': 'The algorithm of the signature.',
  'header typ': 'The kind of the token.',
  'header kid': 'The key that signed it, in the published key set.',
  'header x5t': 'The same key. Only v1.0 tokens have it.',
}

const times: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp'])

/** The claims with the same reasons for a difference between two tokens. */
const differences: readonly (readonly [names: readonly string[], reason: string])[] = [
  [['iat', 'nbf', 'exp'], 'Each token has its own times.'],
  [['aio', 'uti', 'xms_ficinfo', 'xms_ftd'], 'Each token has its own value.'],
  [['header kid', 'header x5t'], 'Another key signed it: the keys were changed in between.'],
  [
    ['aud'],
    'Another API, or another version: v1.0 repeats the requested name, v2.0 has the application ID.',
  ],
  [['ver', 'iss'], 'The API decides the version, not the endpoint. Each version has its issuer.'],
  [['appid', 'azp', 'oid', 'sub', 'xms_mirid'], 'Another client.'],
  [['appidacr', 'azpacr'], 'The clients authenticated in another way.'],
  [['tid', 'idp', 'xms_tcdt'], 'Another tenant.'],
  [['rh'], 'Another tenant or API.'],
  [
    ['app_displayname', 'idtyp', 'tenant_region_scope', 'wids', 'xms_cc'],
    'Microsoft Graph has it, or the API requests it.',
  ],
  [
    ['xms_act_fct', 'xms_sub_fct', 'xms_tnt_fct', 'xms_idrel', 'xms_par_app_azp'],
    'One client is an agent, one API requests no facets, or their order differs.',
  ],
  [['cnf'], 'A bound token is accepted only with its certificate.'],
]

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
function reasonOf(name: string, first: unknown, second: unknown): string {
  if (name === 'roles') {
    const only = (one: unknown, other: unknown) =>
      [...setOf(one).difference(setOf(other))].join(', ') || 'none'
    return `Only in the first: ${only(first, second)}. Only in the second: ${only(second, first)}. A token has the roles with admin consent at its time.`
  }
  if (versioned.has(name) && (first === undefined || second === undefined))
    return 'Only one version of tokens has it. The API decides the version.'
  return differences.find(([names]) => names.includes(name))?.[1] ?? ''
}

const routeMark = ({ status, reason }: Judgement['routes'][number]) =>
  mark(reason ? 'bad' : 'good', reason ? `${status} ${reason}` : '200')

/** Two tokens side by side: the verdict of each route, then each claim. Those that differ come first. */
export function comparisonTable(
  tokens: readonly { readonly decoded: DecodedToken; readonly judgement: Judgement }[],
): Html {
  const members = tokens.map(({ decoded }) => membersOf(decoded))
  const rows = [...new Set(members.flatMap((one) => [...one.keys()]))].map((name) => {
    const [first, second] = members.map((one) => one.get(name))
    const isSame = claimText(first) === claimText(second)
    const state = isSame
      ? mark('plain', 'same')
      : html`${mark('warn', 'differs')} ${reasonOf(name, first, second)}`
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

/** What the guard of an API says to a token: each role, each check in its order; then each claim with its meaning. */
export async function judged(
  request: AdministratorRequest,
  api: Principal,
  token: string,
): Promise<Html> {
  const { routes, checks } = await judgeToken(request, api, token)
  const decoded = decodeToken(token)
  return html`<h3>What the guard says</h3>
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
      Object.hasOwn(claimSentences, name) ? (claimSentences[name] ?? '') : '',
    ]),
    'It has no claims.',
  )}`
}`
}

/** What a client would get for an API now: the token as the guard judges it, or the refusal. */
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

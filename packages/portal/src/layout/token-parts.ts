import { html } from 'hono/html'
import type { Judgement } from '../graph/token-judge.ts'
import { type Html, mark, table, time } from './parts.ts'

/** The meaning of each claim of an access token. */
export const claimSentences: Readonly<Record<string, string>> = {
  aud: 'The API for which the token is issued. Another API refuses it.',
  iss: 'The issuer: this identity provider, in this tenant.',
  iat: 'When it was issued. It is in the past, for APIs whose clock is behind.',
  nbf: 'It is not valid before this time.',
  exp: 'It is not valid from this time on.',
  aio: 'Internal to the identity provider.',
  appid: 'The application ID of the client.',
  azp: 'The application ID of the client.',
  appidacr: 'How the client authenticated: 1 is a secret, 2 is a certificate or a federated token.',
  azpacr: 'How the client authenticated: 1 is a secret, 2 is a certificate or a federated token.',
  idp: 'The identity provider that authenticated the client.',
  idtyp: 'The token is for an application, not for a user.',
  oid: 'The object ID of the service principal of the client.',
  rh: 'Internal to the identity provider.',
  roles: 'The app roles of the API that the client has.',
  sub: 'The subject: the service principal of the client.',
  tid: 'The tenant.',
  uti: 'The ID of this token.',
  ver: 'The version of the token. The API decides it.',
  xms_ficinfo: 'Internal to the identity provider.',
  xms_ftd: 'Internal to the identity provider.',
  cnf: 'The certificate to which the token is bound.',
}

type Json = Readonly<Record<string, unknown>>

/** The header and the claims of a token; undefined when it has not the form of a JWT. */
export function decodeToken(token: string): { header: Json; claims: Json } | undefined {
  const [header, claims] = token.split('.').map((part) => objectOf(part))
  return header && claims ? { header, claims } : undefined
}

function objectOf(part: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Json)
      : undefined
  } catch {
    return undefined
  }
}

const times: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp'])
const maxTimeSeconds = 8_640_000_000_000

/** Each claim with its value and its meaning. */
export function claimTable({ header, claims }: { header: Json; claims: Json }, now: Date): Html {
  const shownValue = (name: string, value: unknown): Html => {
    const isTime = times.has(name) && typeof value === 'number' && Math.abs(value) < maxTimeSeconds
    const text = html`<code>${JSON.stringify(value)}</code>`
    return isTime ? html`${text} ${time(new Date(value * 1000), now)}` : text
  }
  return html`<h3>Header</h3><pre tabindex="0" role="region" aria-label="Header"><code>${JSON.stringify(header, undefined, 2)}</code></pre>
<h3>Claims</h3>${table(
    'Claims',
    ['Claim', 'Value', 'Meaning'],
    Object.entries(claims).map(([name, value]) => [
      html`<code>${name}</code>`,
      shownValue(name, value),
      Object.hasOwn(claimSentences, name) ? (claimSentences[name] ?? '') : '',
    ]),
    'It has no claims.',
  )}`
}

const kinds = { passed: 'good', failed: 'bad', 'not reached': 'plain' } as const

/** What the guard says to a token: each check, then each role. */
export const judgementTables = ({ checks, routes }: Judgement): Html =>
  html`<h3>What the guard says</h3>
${table(
  'Routes',
  ['Route', 'Role', 'Verdict'],
  routes.map(({ route, role, status, reason }) => [
    route,
    html`<code>${role}</code>`,
    mark(status === 200 ? 'good' : 'bad', reason ? `${status} ${reason}` : `${status}`),
  ]),
  'The API declares no role.',
)}
${table(
  'Checks',
  ['Check', 'Verdict', 'Reason'],
  checks.map(({ name, verdict, detail }) => [name, mark(kinds[verdict], verdict), detail]),
  '',
)}`

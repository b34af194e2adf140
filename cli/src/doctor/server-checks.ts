import { type NetworkFault, networkFault } from '@greeting/client'
import type { ClientSettings } from '../client/client-settings.ts'
import { decodeToken } from '../text/token-text.ts'
import {
  type Attempt,
  type Check,
  type CheckResult,
  type PlainAnswer,
  type Probes,
  right,
  sections,
  unknown,
  warning,
  wrong,
} from './probes.ts'

const isTls = ({ name }: NetworkFault) => /^(tls|certificate)_/.test(name)

const settingsOf = ({ settings }: Probes): ClientSettings | undefined =>
  'value' in settings ? settings.value : undefined

const notTried = unknown('not tried')

function checkReachable(
  tried: Attempt<PlainAnswer> | undefined,
  url: string | undefined,
): CheckResult {
  if (tried === undefined || url === undefined) return notTried
  if ('value' in tried) return right(`${new URL(url).origin} answers`)
  const fault = networkFault(tried.error, new URL(url))
  if (isTls(fault)) return right(`${new URL(url).origin} is reachable`)
  const { detail, remedy = 'Check the URL, and check that the server runs.' } = fault
  const more = [sections.connections]
  return wrong('unreachable', `${url} is not reachable: ${detail}`, remedy, more)
}

function checkTls(tried: Attempt<PlainAnswer> | undefined, url: string | undefined): CheckResult {
  if (tried === undefined || url === undefined) return notTried
  if (url.startsWith('http:')) return right('not needed: HTTP on this machine only')
  if ('value' in tried) return right('the certificate is trusted')
  const fault = networkFault(tried.error, new URL(url))
  if (!isTls(fault)) return notTried
  const { detail, remedy = '' } = fault
  return wrong('unreachable', `TLS at ${url} failed: ${detail}`, remedy, [sections.connections])
}

function parse(body: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

const maxSkewSeconds = 60
const minHarmfulSkewSeconds = 300

/** How far this clock is outside the validity of a new token, in seconds: positive if it is behind. */
function tokenSkewSeconds({ token, nowMs }: Probes): number | undefined {
  if (token === undefined || !('value' in token)) return undefined
  let claims: { readonly [name: string]: unknown }
  try {
    claims = decodeToken(token.value).claims
  } catch {
    return undefined
  }
  const now = nowMs / 1000
  const until = [Number(claims.nbf) - now, Number(claims.exp) - now]
  const [toStart = Number.NaN, toEnd = Number.NaN] = until.map(Math.round)
  if (toStart > 0) return toStart
  return toEnd <= 0 ? toEnd : undefined
}

/** Checks reachability, TLS trust, discovery document and clock of the identity provider. */
export const authorityChecks: readonly Check[] = [
  {
    step: 'identity provider',
    run: (facts) => checkReachable(facts.authority, settingsOf(facts)?.AUTH_URL),
  },
  { step: 'its TLS', run: (facts) => checkTls(facts.authority, settingsOf(facts)?.AUTH_URL) },
  {
    step: 'discovery',
    run: (facts) => {
      const settings = settingsOf(facts)
      if (settings === undefined || !facts.authority || 'error' in facts.authority) return notTried
      const { status, body } = facts.authority.value
      const document = parse(body)
      const { token_endpoint: found, error_description: complaint } = document
      const expected = `${settings.AUTH_URL}/${settings.TENANT_ID}/oauth2/v2.0/token`
      if (status === 200 && typeof found === 'string' && URL.canParse(found)) {
        // The document contains the tenant's GUID, also where the settings contain its domain name.
        const isSame = new URL(found).origin === new URL(expected).origin
        if (isSame && 'greeting_lab' in document) {
          const detail = `${found} belongs to a server with a lab, which makes forged tokens and faults`
          return warning(detail, 'In production, use a server without "--lab" and LAB=on.')
        }
        if (isSame && 'greeting_mcp_clients' in document) {
          const detail = `${found} belongs to a server with MCP_CLIENTS=on, which accepts requests that Entra refuses`
          return warning(
            detail,
            'To see the refusals of Entra, use a server without MCP_CLIENTS=on.',
          )
        }
        if (isSame) return right(`the tenant's token endpoint is ${found}`)
        const detail = `the token endpoint is on another server: ${found}`
        return warning(detail, 'Set AUTH_URL to the origin of this token endpoint.')
      }
      const said = String(complaint ?? '')
      if ((status === 404 && !said.startsWith('AADSTS')) || /^\s*</.test(body)) {
        const detail = `there is no identity provider at ${settings.AUTH_URL}: HTTP status ${status}`
        return wrong('unreachable', detail, 'Check the host and the port in AUTH_URL.')
      }
      const reason =
        typeof complaint === 'string' ? complaint.slice(0, 200) : `HTTP status ${status}`
      const detail = `the tenant ${settings.TENANT_ID} has no discovery document: ${reason}`
      return wrong('not_authenticated', detail, 'Check TENANT_ID and AUTH_URL.')
    },
  },
  {
    step: 'clock',
    run: (facts) => {
      const { authority } = facts
      const skew =
        tokenSkewSeconds(facts) ??
        (authority && 'value' in authority ? authority.value.skewSeconds : undefined)
      if (skew === undefined) return unknown('neither a Date header nor a token shows the time')
      const size = Math.abs(skew)
      if (size <= maxSkewSeconds)
        return right(`within ${Math.max(size, 1)} s of the identity provider's`)
      const detail = `${size} s ${skew > 0 ? 'behind' : 'ahead of'} the identity provider's`
      const remedy = 'Set the clock of this machine, preferably with NTP.'
      return size < minHarmfulSkewSeconds
        ? warning(detail, remedy)
        : wrong('failed', detail, remedy)
    },
  },
]

/** Checks reachability and TLS trust of the API. */
export const apiChecks: readonly Check[] = [
  { step: 'API', run: (facts) => checkReachable(facts.health, settingsOf(facts)?.BASE_URL) },
  { step: 'its TLS', run: (facts) => checkTls(facts.health, settingsOf(facts)?.BASE_URL) },
]

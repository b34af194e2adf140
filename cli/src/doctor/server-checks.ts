import type { ClientSettings } from '../client/client-settings.ts'
import {
  type Attempt,
  type Check,
  type CheckResult,
  type PlainAnswer,
  type Probes,
  right,
  unknown,
  warning,
  wrong,
} from './probes.ts'

/** A network fault: its description and its remedy. */
type NetworkFault = {
  readonly isTls: boolean
  readonly detail: string
  readonly remedy: string
}

type Row = {
  readonly codes: RegExp
  readonly detail: string
  readonly remedy: string
  readonly isTls?: true
}

const rows: readonly Row[] = [
  {
    codes: /^ENOTFOUND$|^EAI_AGAIN$/,
    detail: 'its host name is unknown',
    remedy: 'Check the URL, and the name servers of this machine.',
  },
  {
    codes: /^ECONNREFUSED$/,
    detail: 'no program listens on this port',
    remedy: 'Start it ("greeting start" starts a local one), or check the port in the URL.',
  },
  {
    codes: /^ECONNRESET$|^EPIPE$|^UND_ERR_SOCKET$/,
    detail: 'the connection was closed',
    remedy: 'Check for a proxy or a firewall, and check that the port speaks HTTP.',
  },
  {
    codes: /TIMEOUT|ETIMEDOUT|^23$/,
    detail: 'it did not answer in time',
    remedy: 'Check for a firewall, or use --deadline for more time.',
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    detail: 'its certificate has expired',
    remedy: 'Renew the certificate of the server, or set the clock of this machine.',
    isTls: true,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    detail: 'its certificate is for another name',
    remedy: 'Use the name of the certificate, or fix the certificate of the server.',
    isTls: true,
  },
  {
    codes: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^CERT_/,
    detail: 'its certificate authority is not trusted on this machine',
    remedy:
      'Set NODE_EXTRA_CA_CERTS to the certificate file of the authority, then run the command again.',
    isTls: true,
  },
  {
    codes: /SSL|TLS/,
    detail: 'the TLS handshake failed',
    remedy: 'Check the scheme and the port of the URL.',
    isTls: true,
  },
]

const unnamed: Row = {
  codes: /^/,
  detail: 'the connection failed',
  remedy: 'Check the URL, and check that the server runs.',
}

function codesOf(error: Error): string[] {
  const code: unknown = Reflect.get(error, 'code')
  const own = code === undefined ? [] : [String(code)]
  return error.cause instanceof Error ? [...own, ...codesOf(error.cause)] : own
}

const innermostMessage = (error: Error): string =>
  error.cause instanceof Error ? innermostMessage(error.cause) : error.message

/** Describes a failed connection. */
export function networkFault(error: Error): NetworkFault {
  const codes = codesOf(error)
  const row = rows.find(({ codes: pattern }) => codes.some((code) => pattern.test(code))) ?? unnamed
  // A cause without a code is described by the innermost message.
  const code = codes.at(-1) ?? innermostMessage(error)
  return {
    isTls: row.isTls === true,
    detail: `${row.detail} (${code})`,
    remedy: row.remedy,
  }
}

const settingsOf = ({ settings }: Probes): ClientSettings | undefined =>
  'value' in settings ? settings.value : undefined

const notTried = unknown('not tried')

function checkReachable(
  tried: Attempt<PlainAnswer> | undefined,
  url: string | undefined,
): CheckResult {
  if (tried === undefined || url === undefined) return notTried
  if ('value' in tried) return right(`${new URL(url).origin} answers`)
  const { detail, remedy, isTls } = networkFault(tried.error)
  if (isTls) return right(`${new URL(url).origin} is reachable`)
  return wrong('unreachable', `${url} is not reachable: ${detail}`, remedy)
}

function checkTls(tried: Attempt<PlainAnswer> | undefined, url: string | undefined): CheckResult {
  if (tried === undefined || url === undefined) return notTried
  if (url.startsWith('http:')) return right('not needed: HTTP on this machine only')
  if ('value' in tried) return right('the certificate is trusted')
  const { detail, remedy, isTls } = networkFault(tried.error)
  return isTls ? wrong('unreachable', `${url} is not trusted: ${detail}`, remedy) : notTried
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
          const detail = `${found} is of a server with a lab, which makes forged tokens and faults`
          return warning(detail, 'In production, use a server without "--lab" and LAB=on.')
        }
        if (isSame) return right(`the tenant's token endpoint is ${found}`)
        const detail = `the token endpoint is on another server: ${found}`
        return warning(detail, 'Set AUTH_URL to the origin of this token endpoint.')
      }
      const reason =
        typeof complaint === 'string' ? complaint.slice(0, 200) : `HTTP status ${status}`
      const detail = `the tenant ${settings.TENANT_ID} has no discovery document: ${reason}`
      return wrong('not_authenticated', detail, 'Check TENANT_ID and AUTH_URL.')
    },
  },
  {
    step: 'clock',
    run: ({ authority }) => {
      const skew = authority && 'value' in authority ? authority.value.skewSeconds : undefined
      if (skew === undefined) return unknown('the identity provider sends no Date header')
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

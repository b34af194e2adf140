import type { CredentialPlace } from './request-log.ts'

const maxValueLength = 512
/** Headers that say how a client works. All others may be secret. */
const shownHeaders = [
  'accept',
  'client-request-id',
  'content-type',
  'if-match',
  'return-client-request-id',
  'user-agent',
  'x-client-os',
  'x-client-sku',
  'x-client-ver',
  'x-greeting-run',
]
/** Parameters that are never secret. All others may be. */
const shownParameters: ReadonlySet<string> = new Set([
  'client_assertion_type',
  'client_id',
  'grant_type',
  'resource',
  'scope',
])

const bounded = (text: string) => text.slice(0, maxValueLength)

/** The headers to record, and the scheme of `Authorization`. */
export function shownHeadersOf(headers: Headers): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {}
  for (const name of shownHeaders) {
    const value = headers.get(name)
    if (value !== null) shown[name] = bounded(value)
  }
  const [scheme = ''] = (headers.get('authorization') ?? '').split(' ', 1)
  if (['basic', 'bearer'].includes(scheme.toLowerCase()))
    shown.authorization = `${scheme} [redacted]`
  return shown
}

/** The form to record. */
export const shownForm = (form: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...form]
      .slice(0, 32)
      .map(([name, value]) => [
        bounded(name),
        shownParameters.has(name) ? bounded(value) : '[redacted]',
      ]),
  )

/** The client that a token request claims to be, and the position of its proof. */
export function claimedClient(
  form: URLSearchParams,
  query: URLSearchParams,
  headers: Headers,
): { readonly clientId: string | undefined; readonly place: CredentialPlace } {
  const basic = basicUser(headers.get('authorization') ?? '')
  const assertion = form.get('client_assertion')
  const clientId = form.get('client_id') ?? basic ?? stringClaim(assertion, 'sub')
  return { clientId: clientId?.slice(0, 64), place: placeOf() }

  function placeOf(): CredentialPlace {
    if (query.has('client_secret') || query.has('client_assertion')) return 'query'
    if (basic !== undefined) return 'basic'
    if (assertion !== null) return 'assertion'
    return form.has('client_secret') ? 'form' : 'none'
  }
}

function basicUser(authorization: string): string | undefined {
  const [scheme = '', value = ''] = authorization.split(' ', 2)
  if (scheme.toLowerCase() !== 'basic') return undefined
  const [user = ''] = Buffer.from(value, 'base64').toString().split(':', 1)
  try {
    return decodeURIComponent(user)
  } catch {
    return user
  }
}

/** The expiry time of a bearer token, from its claims. Nothing is verified. */
export function bearerExpiry(headers: Headers): Date | undefined {
  const [scheme = '', token = ''] = (headers.get('authorization') ?? '').split(' ', 2)
  return scheme.toLowerCase() === 'bearer' ? tokenExpiry(token) : undefined
}

/** The claim `exp` of a token as a time. */
export function tokenExpiry(token: string): Date | undefined {
  const { exp } = claimsOf(token)
  return typeof exp === 'number' && Math.abs(exp) < 1e11 ? new Date(exp * 1000) : undefined
}

function stringClaim(token: string | null, name: string): string | undefined {
  const value = token === null ? undefined : claimsOf(token)[name]
  return typeof value === 'string' ? value : undefined
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.', 2)[1] ?? '', 'base64url').toString())
    return typeof claims === 'object' && claims !== null ? claims : {}
  } catch {
    return {}
  }
}

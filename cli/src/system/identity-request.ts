import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** A request for a token of a managed identity, independent of its endpoint. */
export type IdentityRequest = {
  /** The API as `resource` names it. */
  readonly resource: string
  /** The application ID of a user-assigned identity; undefined for the system-assigned one. */
  readonly clientId: string | undefined
}

export type IdentityAnswer = { readonly status: number; readonly body: object }

/** The path of Azure's instance metadata service. */
export const virtualMachinePath = '/metadata/identity/oauth2/token'
/** The path in `IDENTITY_ENDPOINT` of Azure App Service. */
export const appServicePath = '/msi/token'

const answer = (status: number, body: object): IdentityAnswer => ({ status, body })
const invalid = (description: string): IdentityAnswer =>
  answer(400, { error: 'invalid_request', error_description: description })
const appServiceError = (statusCode: number, message: string): IdentityAnswer =>
  answer(statusCode, { statusCode, message })

/** The rules of one kind of endpoint: each refuses a request, or lets it pass with `undefined`. */
type EndpointRules = {
  readonly versions: ReadonlySet<string>
  readonly refuseCaller: (headers: IncomingHttpHeaders) => IdentityAnswer | undefined
  readonly malformed: (message: string) => IdentityAnswer
  /** The answer for an identity that this machine does not have. */
  readonly unknownIdentity: IdentityAnswer
}

/** The endpoints by path. A browser sends neither header without asking first (CORS). */
const identityEndpoints = (secret: string): Readonly<Record<string, EndpointRules>> => ({
  [virtualMachinePath]: {
    versions: new Set(['2018-02-01', '2019-08-01']),
    refuseCaller: ({ metadata }) =>
      String(metadata).toLowerCase() === 'true'
        ? undefined
        : invalid('Required metadata header not specified'),
    malformed: invalid,
    unknownIdentity: invalid('Identity not found'),
  },
  [appServicePath]: {
    versions: new Set(['2019-08-01']),
    refuseCaller: (headers) =>
      isEqual(headers['x-identity-header'], secret)
        ? undefined
        : appServiceError(401, 'The header X-IDENTITY-HEADER is missing or wrong.'),
    malformed: (message) => appServiceError(400, message),
    unknownIdentity: appServiceError(
      400,
      'No User Assigned or Delegated Managed Identity found for specified ClientId.',
    ),
  },
})

/** Compares in constant time. A header that was sent twice is not equal. */
function isEqual(sent: string | readonly string[] | undefined, secret: string): boolean {
  const hashOf = (text: string) => createHash('sha256').update(text).digest()
  return typeof sent === 'string' && timingSafeEqual(hashOf(sent), hashOf(secret))
}

/** The text of `Host` is matched whole, because a URL parser would accept `evil@localhost`. */
const loopbackHost = /^(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/i
/** The headers of a forwarded request: RFC 7239, RFC 9110 section 7.6.3. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']
const otherIdentities = ['object_id', 'principal_id', 'mi_res_id', 'msi_res_id']

/**
 * Reads a request for a token of a managed identity.
 *
 * A forwarded request comes from another machine, and a foreign `Host` from a web page whose name
 * leads to this machine. Both are refused, as Azure refuses the first.
 *
 * @param secret the value of `IDENTITY_HEADER`
 * @returns the request, or the refusal to send
 */
export function readIdentityRequest(
  { method, url: target = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  secret: string,
):
  | { readonly request: IdentityRequest; readonly unknownIdentity: IdentityAnswer }
  | IdentityAnswer {
  const url = URL.parse(target, 'http://localhost')
  // MSAL adds a slash at the end.
  const path = url?.pathname.endsWith('/') ? url.pathname.slice(0, -1) : (url?.pathname ?? '')
  const endpoint = Object.entries(identityEndpoints(secret)).find(([one]) => one === path)?.[1]
  if (url === null || endpoint === undefined || !loopbackHost.test(String(headers.host)))
    return answer(404, { error: 'not_found', error_description: 'There is nothing at this path.' })
  if (method !== 'GET') return endpoint.malformed('The method must be GET')
  if (forwardingHeaders.some((name) => headers[name] !== undefined))
    return endpoint.malformed('A forwarded request is not allowed')
  const refused = endpoint.refuseCaller(headers)
  if (refused !== undefined) return refused
  const query = url.searchParams
  if (!endpoint.versions.has(query.get('api-version') ?? '')) {
    const versions = [...endpoint.versions].join(', ')
    return endpoint.malformed(`The api-version must be one of: ${versions}`)
  }
  const resource = query.get('resource')
  if (resource === null || resource === '')
    return endpoint.malformed('The parameter resource is missing')
  const other = otherIdentities.find((name) => query.has(name))
  if (other !== undefined)
    return endpoint.malformed(`The parameter ${other} is not supported: use client_id`)
  const clientId = query.get('client_id')?.toLowerCase()
  return { request: { resource, clientId }, unknownIdentity: endpoint.unknownIdentity }
}

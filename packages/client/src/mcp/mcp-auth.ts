import { redirectStatuses } from '../call/api-call.ts'
import { ClientError } from '../errors.ts'
import { noTrace } from '../hooks.ts'
import { secureUrl } from '../http/secure-url.ts'
import { nonEmptyString, type OptionRules, oneOf, required } from '../option-rules.ts'
import { systemRuntime } from '../runtime.ts'
import { createSourceOf, type TokenSource } from '../token/token-source.ts'
import { type SourceOptions, sourceRules, validateSource } from '../token/token-source-options.ts'
import { type Discovered, discover, readChallenge } from './metadata.ts'

/** The options of `mcpAuth`: the options of a token source, and the MCP server. */
export type McpAuthOptions = SourceOptions & {
  /** URL of the MCP server. The token is sent to its origin only. */
  readonly serverUrl: string
  /** The issuer that receives the credential. A server that names another one gets no token. */
  readonly expectedIssuer: string
  /**
   * The scope to request. By default the server chooses it: the scope of its challenge, else all scopes of
   * its metadata. Set it unless the authorization server binds tokens to `resource`. Entra ID does not.
   */
  readonly scope?: string
  /**
   * Whether token requests name the server (RFC 8707). `if-accepted` leaves `resource` out after a
   * refusal of it. Default: `if-accepted` with a `scope`, else `always`. The other values require a `scope`.
   */
  readonly resourceParameter?: 'always' | 'never' | 'if-accepted'
}

/** A refused request, as the SDK passes it. */
export type McpUnauthorized = { readonly response: Response }

/** Authorizes the client of one MCP server. */
export type McpAuth = {
  /** The token for the next request; undefined until the server requires one. */
  readonly token: () => Promise<string | undefined>
  /** Reads the challenge of a 401, and obtains a new token. */
  readonly onUnauthorized: (context: McpUnauthorized) => Promise<void>
  /** `fetch` with the token. After a 401 it repeats the request once. */
  readonly fetch: typeof fetch
}

const rules: OptionRules<McpAuthOptions> = {
  ...sourceRules,
  serverUrl: required(secureUrl),
  expectedIssuer: required(secureUrl),
  scope: nonEmptyString,
  resourceParameter: oneOf('always', 'never', 'if-accepted'),
}

/** How servers refuse `resource`: RFC 8707 section 2, and Entra ID. */
const refusesResource = (error: unknown): boolean =>
  error instanceof ClientError &&
  error.code === 'token_refused' &&
  (Reflect.get(error.details, 'oauthError') === 'invalid_target' ||
    Reflect.get(error.details, 'aadstsCode') === 901002)

/**
 * Authorizes the client of one MCP server by client credentials. It is an `AuthProvider` of the
 * TypeScript SDK v2. Other clients use its `fetch`.
 *
 * The server says with its 401 where its metadata is. A 403 is never repeated.
 *
 * @throws {TypeError} lists every invalid option
 * @see The authorization of MCP 2026-07-28, RFC 9728, RFC 8414, RFC 8707
 * @example
 * const authProvider = mcpAuth({
 *   serverUrl: 'https://mcp.example/mcp',
 *   expectedIssuer: 'https://login.microsoftonline.com/8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11/v2.0',
 *   clientId: '9b1f6c52-63a8-4f0a-8f5c-1d7a3e0f8a01',
 *   credential: clientSecret('the value of the secret'),
 *   scope: 'api://3f2a7d4e-5b6c-4d7e-8f90-a1b2c3d4e5f6/.default',
 * })
 */
export function mcpAuth(options: McpAuthOptions): McpAuth {
  validateSource('mcpAuth', options, rules)
  const { clientId, expectedIssuer, scope, deadlineMs = 10_000, trace = noTrace } = options
  const { resourceParameter = scope === undefined ? 'always' : 'if-accepted' } = options
  if (scope === undefined && resourceParameter !== 'always')
    throw new TypeError(
      `mcpAuth: \`scope\` is required with \`resourceParameter\` '${resourceParameter}'`,
    )
  const serverUrl = new URL(options.serverUrl)
  const runtime = { ...systemRuntime, ...options.runtime }
  let discovered: Discovered | undefined
  let tokens: TokenSource | undefined
  let sendsResource = resourceParameter !== 'never'
  let sent: string | undefined
  let pending: Promise<void> | undefined

  function use(found: Discovered): void {
    discovered = found
    const { resource, ...request } = found
    const sentResource = sendsResource ? { resource } : {}
    tokens = createSourceOf(options, { ...request, clientId, ...sentResource })
  }

  async function token(): Promise<string | undefined> {
    const asked = tokens
    try {
      sent = await asked?.token()
    } catch (error) {
      // Another caller may have left `resource` out already.
      if (tokens === asked) {
        const isOptional = sendsResource && resourceParameter === 'if-accepted'
        if (discovered === undefined || !isOptional || !refusesResource(error)) throw error
        sendsResource = false
        use(discovered)
      }
      sent = await tokens?.token()
    }
    return sent
  }

  async function renew({ headers }: Response): Promise<void> {
    const challenge = readChallenge(headers)
    const wanted = scope ?? challenge.scope
    if (sent !== undefined) tokens?.drop(sent)
    if (discovered === undefined || (wanted !== undefined && discovered.scope !== wanted)) {
      const signal = runtime.timeoutSignal(deadlineMs)
      const context = { runtime, trace, signal }
      const found = await discover(serverUrl, expectedIssuer, challenge, context)
      use({ ...found, scope: wanted ?? found.scope })
    }
    await token()
  }

  /** Requests that are refused together share one new token. */
  async function onUnauthorized({ response }: McpUnauthorized): Promise<void> {
    pending ??= renew(response).finally(() => {
      pending = undefined
    })
    return pending
  }

  async function fetchWithAuth(input: string | URL | Request, init?: RequestInit) {
    const request = new Request(input, init)
    if (new URL(request.url).origin !== serverUrl.origin)
      throw new TypeError(`the token is for ${serverUrl.origin} only, not for another server`)
    const { method, url, signal } = request
    // Read once, because a stream could not be sent again.
    const body = request.body === null ? {} : { body: await request.arrayBuffer() }
    const send = async () => {
      const headers = new Headers(request.headers)
      const bearer = await token()
      if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
      let target = url
      for (let redirects = 0; ; redirects += 1) {
        const response = await runtime.fetch(target, {
          method,
          headers,
          signal,
          redirect: 'manual',
          ...body,
        })
        const location = response.headers.get('location')
        const keepsMethod = /^30[78]$/.test(`${response.status}`) || method === 'GET'
        const isFollowed = redirectStatuses.has(response.status) && request.redirect === 'follow'
        if (!isFollowed || !keepsMethod || location === null || redirects === 5) return response
        // The body is for this server only, as the token is.
        const next = URL.parse(location, target)
        if (next?.origin !== serverUrl.origin)
          throw new TypeError(
            `${serverUrl.origin} redirects to another server, which is not followed`,
          )
        response.body?.cancel().catch(() => undefined)
        target = next.href
      }
    }
    const response = await send()
    if (response.status !== 401) return response
    response.body?.cancel().catch(() => undefined)
    await onUnauthorized({ response })
    return send()
  }

  return { token, onUnauthorized, fetch: fetchWithAuth }
}

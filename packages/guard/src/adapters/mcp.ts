import type { IncomingMessage, ServerResponse } from 'node:http'
import { type RequestCredentials, readCredentials } from '../bearer-credentials.ts'
import type { Caller } from '../caller.ts'
import { readAtMost } from '../encoding/bounded-bytes.ts'
import { parseStrictJson } from '../encoding/strict-json.ts'
import { anyCaller, type Guard, type RequiredRole } from '../guard.ts'
import { prepareRefusals, type Refusal, type RefusalReason, withHeader } from '../refusal.ts'
import {
  describeResource,
  type ProtectedResource,
  type ResourceMetadata,
} from '../resource-metadata.ts'
import { checkRequirement } from '../routes/route-table.ts'
import { jsonRpcRequirements, type Requirement } from './json-rpc-requirements.ts'
import { SessionOwners, sessionHeader } from './mcp-sessions.ts'
import { sendRefusal } from './node.ts'
import { NodeRequestCredentials, WebRequestCredentials } from './request-credentials.ts'
import { type FetchHandler, respond } from './web.ts'

/** The caller in the type that the MCP SDKs pass to a tool: `AuthInfo`. */
export type McpAuthInfo<Role extends string = string> = {
  readonly token: string
  /** The application ID of the client. */
  readonly clientId: string
  /** The scopes of the options. The roles are in `extra.caller`. */
  readonly scopes: string[]
  /** End of validity, in seconds since the epoch. */
  readonly expiresAt: number
  /** The URL of the options. */
  readonly resource: URL
  readonly extra: { readonly caller: Caller<Role> }
}

/** Options of `mcpGuard`. The `resource` is the URL of the MCP server. */
export type McpGuardOptions<Role extends string, Tool extends string> = ProtectedResource & {
  /** The role of each tool. A tool without a row is refused. */
  readonly tools: Readonly<Record<Tool, RequiredRole<Role>>>
  /**
   * The role of each other method, such as `resources/read`. Without a row, only `initialize`, `ping`,
   * `server/discover`, `tools/list` and notifications are admitted, for each valid token.
   */
  readonly methods?: Readonly<Record<string, RequiredRole<Role>>> | undefined
  /** The maximum size of a body, in bytes: by default 1 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** Whether a 403 names the missing role in `error_description`: by default not. */
  readonly namesMissingRole?: boolean | undefined
}

/** The options that the guard passes to a handler of Web requests, in the format of both SDKs. */
export type McpRequestOptions<Role extends string = string> = {
  readonly authInfo: McpAuthInfo<Role>
  /** The body, parsed once, so that the check of roles and the server read the same. */
  readonly parsedBody: unknown
}

/** Guards an MCP server over streamable HTTP. */
export type McpGuard<Role extends string, Tool extends string> = {
  /** The metadata of the server, which `fetch` and `listener` answer at its path. */
  readonly metadata: ResourceMetadata
  /** Guards a Web handler. Every path except the metadata path requires a token. */
  readonly fetch: (
    handler: (request: Request, options: McpRequestOptions<Role>) => Response | Promise<Response>,
  ) => FetchHandler
  /** Guards a listener of `node:http` or Express. The SDKs read `auth` and take the parsed body. */
  readonly listener: (
    handler: (
      request: IncomingMessage & { auth: McpAuthInfo<Role> },
      response: ServerResponse,
      parsedBody: unknown,
    ) => void | Promise<void>,
  ) => (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** Disables the tools that the caller may not call, so that `tools/list` does not show them. */
  readonly hideTools: (
    authInfo: { readonly extra?: Record<string, unknown> } | undefined,
    tools: Readonly<Record<Tool, { disable: () => void }>>,
  ) => void
}

/** The management API has the same limit: parsing 90,000 members stops the thread for a tenth of a second. */
const maxMembers = 20_000

/** A scope, or a role that a challenge may quote (RFC 6750 section 3). */
const quotable = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Creates the guard of an MCP server: a valid token for each request, and a role for each tool.
 *
 * @throws {TypeError} for a role that the guard does not have, and for scopes that no client may request
 * @example
 * const mcp = mcpGuard(guard, {
 *   resource: 'https://mcp.example/mcp',
 *   authorizationServers: [`https://login.microsoftonline.com/${tenantId}/v2.0`],
 *   scopes: [`api://${apiApplicationId}/.default`],
 *   tools: { hi: 'CallHiApiRole' },
 * })
 * const fetch = mcp.fetch((request, { authInfo }) => new Response(authInfo.clientId))
 */
export function mcpGuard<Role extends string, const Tool extends string>(
  guard: Guard<Role>,
  options: McpGuardOptions<NoInfer<Role>, Tool>,
): McpGuard<Role, Tool> {
  const { scopes, tools, methods = {}, maxBodyBytes = 1024 * 1024, namesMissingRole } = options
  const roleOf: Readonly<Record<string, RequiredRole<Role>>> = tools
  for (const role of [roleOf, methods].flatMap(Object.values)) checkRequirement(guard, role)
  const roleNames: readonly string[] = guard.roles
  // A client sends the scopes to the identity provider, which refuses the name of a role.
  if (!scopes.length || scopes.some((one) => roleNames.includes(one) || !quotable.test(one))) {
    throw new TypeError('scopes must be those that a client requests, such as api://<id>/.default')
  }
  const metadata = describeResource(options)
  const requirementsOf = jsonRpcRequirements<Role>(roleOf, methods)
  const sessions = new SessionOwners()
  const challenges = prepareRefusals('mcp', metadata.url, scopes.join(' '))

  function challenged(refusal: Refusal): Refusal {
    const challenge = challenges[refusal.reason].headers['www-authenticate']
    return challenge === undefined ? refusal : withHeader(refusal, 'www-authenticate', challenge)
  }
  const refuse = (reason: RefusalReason) => challenged(guard.refuse(reason))

  function refuseRole(role: Requirement<Role>): Refusal {
    const refusal = refuse('role_missing')
    if (!namesMissingRole || typeof role !== 'string' || !quotable.test(role)) {
      return refusal
    }
    const description = `The role ${role} is missing`
    const challenge = `${refusal.headers['www-authenticate']}, error_description="${description}"`
    return {
      ...withHeader(refusal, 'www-authenticate', challenge),
      body: JSON.stringify({ error: 'access_denied', error_description: description }),
    }
  }

  /** Reads the body only for a caller with a valid token. */
  async function admit(
    method: string | undefined,
    session: string | null | undefined,
    credentials: RequestCredentials,
    readBody: () => Promise<unknown>,
  ): Promise<McpRequestOptions<Role> | Refusal> {
    const caller = await guard.decide(credentials, anyCaller)
    if (caller.outcome === 'refused') return challenged(caller)
    // GET opens a stream, and DELETE ends a session.
    if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') {
      return withHeader(refuse('method_not_allowed'), 'allow', 'GET, POST, DELETE')
    }
    // Its messages and its end are the business of the caller that opened it.
    if (session && !sessions.has(session, caller)) return refuse('not_found')
    const parsedBody = method === 'POST' ? await readBody() : undefined
    const requirements = method === 'POST' ? requirementsOf(parsedBody) : []
    if (requirements === undefined) return refuse('body_malformed')
    const missing = requirements.find((requirement) => !meets(caller, requirement))
    if (missing !== undefined) return refuseRole(missing)
    const bearer = readCredentials(credentials)
    const authInfo = {
      token: 'token' in bearer ? bearer.token : '',
      clientId: caller.applicationId,
      scopes: [...scopes],
      expiresAt: caller.expiresAt,
      resource: new URL(options.resource),
      extra: { caller },
    }
    return { authInfo, parsedBody }
  }

  /**
   * Undefined for what is too large, cut, or no strict JSON.
   * @param discard reads the rest, because the next request of the connection comes after it
   */
  async function parse(
    stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    discard: () => unknown,
  ): Promise<unknown> {
    const bytes = await readAtMost(stream, maxBodyBytes).catch(() => undefined)
    if (bytes === undefined) discard()
    return bytes && parseStrictJson(bytes, maxMembers)
  }

  return {
    metadata,
    fetch: (handler) => async (request) => {
      if (new URL(request.url).pathname === metadata.path) return Response.json(metadata.document)
      const session = request.headers.get(sessionHeader)
      const outcome = await admit(request.method, session, new WebRequestCredentials(request), () =>
        parse(request.body?.values({ preventCancel: true }) ?? [], () =>
          request.body?.pipeTo(new WritableStream()).catch(() => undefined),
        ),
      )
      if ('status' in outcome) return respond(outcome)
      const response = await handler(request, outcome)
      sessions.note(response.headers.get(sessionHeader), outcome.authInfo.extra.caller)
      return response
    },
    listener: (handler) => async (request, response) => {
      if (request.url?.split('?', 1)[0] === metadata.path) {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(metadata.document))
        return
      }
      const outcome = await admit(
        request.method,
        request.headers[sessionHeader]?.toString(),
        new NodeRequestCredentials(request),
        async () =>
          // A parser before the guard has taken the bytes. The server gets its result too.
          (request as { body?: unknown }).body ??
          parse(request.iterator({ destroyOnReturn: false }), () => request.resume()),
      )
      if ('status' in outcome) return sendRefusal(response, outcome)
      const { authInfo, parsedBody } = outcome
      noteSession(response, (session) => sessions.note(session, authInfo.extra.caller))
      return handler(Object.assign(request, { auth: authInfo }), response, parsedBody)
    },
    hideTools: (authInfo, registered) => {
      const caller = authInfo?.extra?.caller as Caller<Role> | undefined
      for (const [name, tool] of Object.entries<{ disable: () => void }>(registered)) {
        if (caller === undefined || !meets(caller, roleOf[name] ?? null)) tool.disable()
      }
    },
  }
}

/** Reads the session of a response when its header is written, because an SDK may set it only then. */
function noteSession(response: ServerResponse, note: (session: string | undefined) => void): void {
  const writeHead = response.writeHead as (...head: unknown[]) => ServerResponse
  response.writeHead = (...head: unknown[]) => {
    const written = writeHead.apply(response, head)
    // Headers that only `writeHead` got are not kept: they are a list, or an object.
    const last: unknown = head.at(-1)
    const given = typeof last === 'object' && last !== null ? last : {}
    const pairs = Array.isArray(given)
      ? given.flat().flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1]]] : []))
      : Object.entries(given)
    const found = pairs.find(([name]) => String(name).toLowerCase() === sessionHeader)
    note((found?.[1] ?? response.getHeader(sessionHeader))?.toString())
    return written
  }
}

function meets<Role extends string>(caller: Caller<Role>, role: Requirement<Role>): boolean {
  return role === anyCaller || (role !== null && caller.roles.includes(role))
}

import type { IncomingMessage } from 'node:http'
import { anyCaller, type Caller, type Refusal, withHeader } from '@greeting/guard'
import { NodeRequestCredentials } from '@greeting/guard/node'
import { errorAnswer, errorResponse, type TrustedProxies } from '@greeting/http-service'
import {
  authorizePath,
  fieldsOfProxies,
  type ProxyName,
  readOriginalRequest,
} from './original-request.ts'
import { pathSegments } from './path-segments.ts'
import type { CallerHeaders } from './rules-file.ts'
import type { GuardedRules } from './rules-in-force.ts'

/** Everything that a decision needs, besides the request. */
export type AuthorizerOptions = {
  readonly proxy: ProxyName
  readonly trustedProxies: Pick<TrustedProxies, 'has'>
  readonly current: () => GuardedRules
  /** Receives the reason of each refusal that is not the guard's, and the address of the peer. */
  readonly onRefused: (reason: RefusalReason, peer: string) => void
}

const malformed = (description: string) => errorAnswer(400, 'invalid_request', description)

/** The refusals before the guard. */
const refusals = {
  peer_not_trusted: errorAnswer(403, 'access_denied', 'Only a trusted proxy may ask'),
  original_request_malformed: malformed('The proxy must send method and path of the request once'),
  path_ambiguous: malformed('The path could be read in two ways'),
  caller_header_disguised: malformed(
    'A header has a name that could be read as a header of the caller',
  ),
  override_header: malformed('A header must not override the method or the path'),
} as const

/** Why the authorizer refuses a request that the guard does not see. */
export type RefusalReason = keyof typeof refusals

/** Nginx shows no body of the first answer, so it asks again for the refusal, at this path. */
const refusalPath = '/refusal'

const changed = errorAnswer(503, 'temporarily_unavailable', 'Try again', { 'retry-after': '1' })

/** Answers the questions of a proxy at `/authorize`. It reads no body. */
export class Authorizer {
  readonly #options: AuthorizerOptions

  constructor(options: AuthorizerOptions) {
    this.#options = options
  }

  /** The decision about the original request: 200 with the caller in the headers, or a refusal. */
  answer(incoming: IncomingMessage): Response | Promise<Response> {
    const { proxy, trustedProxies, current } = this.#options
    const { guard, rules } = current()
    // 1. The proxy is trusted: anyone else could send the method and path of another request.
    if (!trustedProxies.has(incoming.socket.remoteAddress ?? ''))
      return this.#refuse('peer_not_trusted', incoming)
    // 2. One method, one path, and one way to read them.
    const fault = clientHeaderFault(proxy, incoming.rawHeaders, rules.headers)
    if (fault !== undefined) return this.#refuse(fault, incoming)
    const original = readOriginalRequest(proxy, incoming)
    if (original === undefined) return this.#refuse('original_request_malformed', incoming)
    const segments = pathSegments(original.target)
    const match = segments === undefined ? 'ambiguous' : rules.set.find(original.method, segments)
    if (match === 'ambiguous') return this.#refuse('path_ambiguous', incoming)
    // 3. The first rule, or a valid token before the answer that there is none.
    const requires = match.rule?.requires ?? 'any_caller'
    if (requires === 'nothing') return admission(rules.headers)
    const { authorization } = new NodeRequestCredentials(incoming)
    const decision = guard.decide(
      { authorization, target: original.target },
      requires === 'any_caller' ? anyCaller : requires.role,
    )
    const conclude = (decided: Caller | Refusal) => {
      if (decided.outcome === 'refused') return refusalResponse(decided)
      if (match.rule !== undefined) return admission(rules.headers, decided)
      const { allowed } = match
      return refusalResponse(
        allowed.length === 0
          ? guard.refuse('not_found')
          : withHeader(guard.refuse('method_not_allowed'), 'allow', allowHeader(allowed)),
      )
    }
    return decision instanceof Promise ? decision.then(conclude) : conclude(decision)
  }

  /** The same decision for a proxy that has been refused: an admission would reach the client as 200. */
  async answerRefused(incoming: IncomingMessage): Promise<Response> {
    const answer = await this.answer(incoming)
    return answer.status === 200 ? errorResponse(changed) : answer
  }

  #refuse(reason: RefusalReason, { socket }: IncomingMessage): Response {
    this.#options.onRefused(reason, socket.remoteAddress ?? '')
    return errorResponse(refusals[reason])
  }
}

/** Whether a proxy asks at this path, for a decision or for the refusal. */
export function questionAt(proxy: ProxyName, url: string): 'decision' | 'refusal' | undefined {
  if (proxy === 'envoy') return url.startsWith(`${authorizePath}/`) ? 'decision' : undefined
  return url === authorizePath ? 'decision' : url === refusalPath ? 'refusal' : undefined
}

const allowHeader = (methods: readonly string[]) =>
  methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ')

/** A value of an issuer that cannot be a header is empty. */
const headerText = (text = '') => (/^[\x21-\x7e]*$/.test(text) ? text : '')

/** All headers are always there: a missing one would leave that of the client in its place. */
function admission(names: CallerHeaders, caller?: Caller): Response {
  return new Response(null, {
    headers: {
      'cache-control': 'no-store',
      [names.applicationId]: headerText(caller?.applicationId),
      [names.tenantId]: headerText(caller?.tenantId),
      [names.objectId]: headerText(caller?.objectId),
      [names.roles]: headerText(caller?.roles.join(',')),
    },
  })
}

const refusalResponse = ({ status, headers, body }: Refusal) =>
  new Response(body, { status, headers })

/**
 * Headers with which some frameworks replace the method or the path of a request. The API would then do
 * something else than the decision was about. The proxy files of the guide remove each of them.
 */
export const overrideHeaders = [
  'X-HTTP-Method-Override',
  'X-Method-Override',
  'X-HTTP-Method',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Original-URI',
  'X-Forwarded-Prefix',
] as const

/**
 * A name as an API may read it: CGI writes a hyphen as an underscore, and PHP also a dot. So `X.Caller_Roles`
 * can replace `X-Caller-Roles`.
 */
const readName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')

const overrides: ReadonlySet<string> = new Set(overrideHeaders.map(readName))

/** Why the headers of a client are refused; undefined when nothing is wrong with them. */
export function clientHeaderFault(
  proxy: ProxyName,
  rawHeaders: readonly string[],
  callerNames: CallerHeaders,
): 'caller_header_disguised' | 'override_header' | undefined {
  const asked: readonly string[] = fieldsOfProxies[proxy]
  const callers = Object.values(callerNames).map((name) => name.toLowerCase())
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    const read = readName(name)
    // The proxy overwrites the headers of the caller by their exact names.
    if (callers.some((one) => one !== name && readName(one) === read))
      return 'caller_header_disguised'
    if (overrides.has(read) && !asked.includes(name)) return 'override_header'
  }
  return undefined
}

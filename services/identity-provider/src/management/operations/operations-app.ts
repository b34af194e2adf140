import { setImmediate } from 'node:timers/promises'
import { graphAppId, isGuid, isLoopbackUrl } from '@greeting/directory'
import { StorageUnavailableError } from '@greeting/directory/live'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { errorEnvelope, GraphError, type RequestIds, refuse } from '../refusals/graph-error.ts'
import { type RefusalName, refusalRow } from '../refusals/refusals.ts'
import { executeOperation, type OperationContext } from './execute-operation.ts'
import type { Answer, Operation } from './operation.ts'
import { endsOf, OperationPaths, routeOf } from './operation-path.ts'

const realm = 'management'
const retryAfterSeconds = 1
const maxSegmentLength = 256
/** Faults of the server. The caller gets one general sentence, and the operator gets the cause. */
const serverFaults: ReadonlySet<RefusalName> = new Set(['unexpected', 'storage_unavailable'])

type Handler = (request: Request, environment: unknown, ids: RequestIds) => Promise<Answer>

/** Creates the app that serves a table of operations. Each row names the roles that its callers need. */
export function createOperationsApp(
  operations: readonly Operation[],
  context: OperationContext,
): Hono {
  const paths = new OperationPaths(operations, context.mountPath)
  const app = new Hono({
    // By default, the first request tries another router, which cannot hold these paths.
    router: new TrieRouter(),
    getPath: (request) => paths.pathOf(request),
  })
  const turns = new EventLoopTurns()
  const withSend = {
    ...context,
    send: async (request: Request, environment: unknown) =>
      app.fetch(request, environment as Record<string, unknown>),
  }
  const routes = operations.flatMap((operation) =>
    endsOf(operation).map((end) => ({ operation, end })),
  )
  for (const { operation, end } of routes)
    app.on(operation.method, routeOf(operation, end), ({ env, req }) =>
      answer(req.raw, env, (request, environment, ids) =>
        executeOperation({
          operation,
          parameters: { ...req.param(), end },
          context: withSend,
          request,
          environment,
          ids,
        }),
      ),
    )
  // Authenticate before 404 and 405, so that anonymous callers cannot probe for paths.
  app.all('*', ({ env, req }) =>
    answer(req.raw, env, async (request, environment) => {
      await context.authenticate(request, environment)
      const path = paths.pathOf(request)
      if (paths.methodsAt(path).length > 0) throw refuse('method_not_allowed')
      throw refuse('segment_unknown', paths.unknownSegment(path).slice(0, maxSegmentLength))
    }),
  )
  return app

  async function answer(
    request: Request,
    environment: unknown,
    handle: Handler,
  ): Promise<Response> {
    const response = await answerOrRefusal(request, environment, handle)
    return context.apiAppId === graphAppId ? asGraph(response, request, context) : response
  }

  // The only place that catches a refusal.
  async function answerOrRefusal(
    request: Request,
    environment: unknown,
    handle: Handler,
  ): Promise<Response> {
    await turns.next()
    const ids = requestIdsOf(request, context)
    try {
      return respond(await handle(request, environment, ids), ids)
    } catch (error) {
      const refusal = toGraphError(error)
      if (serverFaults.has(refusal.refusal)) context.report(error, ids)
      return respondRefusal(refusal, ids, paths.methodsAt(paths.pathOf(request)))
    }
  }
}

function requestIdsOf({ headers }: Request, { runtime }: OperationContext): RequestIds {
  const requestId = runtime.newGuid()
  const clientRequestId = headers.get('client-request-id') ?? ''
  return {
    requestId,
    clientRequestId: isGuid(clientRequestId) ? clientRequestId : requestId,
    at: runtime.now(),
  }
}

function respond(answer: Answer, ids: RequestIds): Response {
  const headers = headersOf(ids)
  if ('content' in answer) {
    headers.set('content-type', answer.contentType)
    return new Response(answer.content, { status: answer.status, headers })
  }
  if (answer.etag !== undefined) headers.set('etag', answer.etag)
  if (answer.status === 204) return new Response(null, { status: 204, headers })
  if (answer.location !== undefined) headers.set('location', answer.location)
  return Response.json(answer.body, { status: answer.status, headers })
}

function respondRefusal(
  error: GraphError,
  ids: RequestIds,
  allowedMethods: readonly string[],
): Response {
  const { challenge, status } = refusalRow(error.refusal)
  const headers = headersOf(ids)
  if (challenge !== undefined) headers.set('www-authenticate', challengeOf(challenge))
  if (error.location !== undefined) headers.set('location', error.location)
  if (status === 405) headers.set('allow', allowedMethods.join(', '))
  if (status === 503) headers.set('retry-after', String(retryAfterSeconds))
  return Response.json(errorEnvelope(error, ids), { status, headers })
}

/** @see RFC 6750 section 3: a request without credentials gets no error code. */
const challengeOf = (error: string): string =>
  error === 'none' ? `Bearer realm="${realm}"` : `Bearer realm="${realm}", error="${error}"`

const headersOf = ({ requestId, clientRequestId }: RequestIds): Headers =>
  new Headers({
    'cache-control': 'no-store',
    'client-request-id': clientRequestId,
    'odata-version': '4.0',
    'request-id': requestId,
    'x-content-type-options': 'nosniff',
  })

const graphJson =
  'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8'

/** Sets the headers of Microsoft Graph (entra E277). They say nothing about this machine. */
function asGraph(response: Response, { method }: Request, { rootUrl }: OperationContext): Response {
  const { headers, ok } = response
  headers.set('x-ms-ags-diagnostic', '{"ServerInfo":{"DataCenter":"Local"}}')
  headers.set('x-ms-resource-unit', '1')
  // A browser would apply it to every port of a loopback host.
  if (rootUrl.startsWith('https:') && !isLoopbackUrl(rootUrl))
    headers.set('strict-transport-security', 'max-age=31536000')
  if (ok && headers.get('content-type') === 'application/json')
    headers.set('content-type', graphJson)
  // Other methods may answer with a secret, which no cache may store.
  if (ok && method === 'GET') headers.set('cache-control', 'no-cache')
  return response
}

function toGraphError(error: unknown): GraphError {
  if (error instanceof GraphError) return error
  const isStorage = error instanceof StorageUnavailableError
  const { refusal, message } = refuse(isStorage ? 'storage_unavailable' : 'unexpected')
  return new GraphError(refusal, message, { cause: error })
}

/** Gives each caller a separate turn of the event loop, so that tokens can be issued in between. */
export class EventLoopTurns {
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves in the first turn that no earlier caller has. */
  next(): Promise<unknown> {
    this.#last = this.#last.then(() => setImmediate())
    return this.#last
  }
}

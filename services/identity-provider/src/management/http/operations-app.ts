import { Hono } from 'hono'
import { isGuid } from '../../directory/guid.ts'
import { StorageUnavailableError } from '../../storage/storage-unavailable-error.ts'
import { executeOperation, type OperationContext } from './execute-operation.ts'
import { errorEnvelope, GraphError, type RequestIds, refuse } from './graph-error.ts'
import type { Answer, Operation } from './operation.ts'
import { operationPath } from './operation-path.ts'
import { type RefusalName, refusalRow, refusals } from './refusals.ts'

const realm = 'management'
const retryAfterSeconds = 1
/** What the caller is told little of, and the operator all. */
const serverFaults: ReadonlySet<RefusalName> = new Set(['unexpected', 'storage_unavailable'])

/** The app that serves a table of operations, each to those callers only that its row lets in. */
export function createOperationsApp(
  operations: readonly Operation[],
  operator: OperationContext,
): Hono {
  const app = new Hono({ getPath: (request) => pathOf(request) })
  for (const operation of operations) {
    app.on(operation.method, routeOf(operation.path), (context) =>
      answer(context.req.raw, context.env, (request, environment, exchange) =>
        executeOperation(operation, context.req.param(), operator, request, environment, exchange),
      ),
    )
  }
  // Who has no token learns not even which paths there are.
  app.all('*', (context) =>
    answer(context.req.raw, context.env, async (request, environment) => {
      await operator.authenticate(request, environment)
      const methods = methodsAt(operations, pathOf(request))
      if (methods.length > 0) throw refuse('method_not_allowed')
      throw refuse('segment_unknown', new URL(request.url).pathname.slice(1).slice(0, 256))
    }),
  )
  return app

  async function answer(
    request: Request,
    environment: unknown,
    act: (request: Request, environment: unknown, exchange: RequestIds) => Promise<Answer>,
  ): Promise<Response> {
    const exchange = requestIdsOf(request, operator)
    try {
      return respond(await act(request, environment, exchange), exchange)
    } catch (error) {
      const refusal = refusalOf(error)
      if (serverFaults.has(refusal.refusal)) operator.report(error, exchange)
      return respondRefusal(refusal, exchange, methodsAt(operations, pathOf(request)))
    }
  }
}

function requestIdsOf({ headers }: Request, { runtime }: OperationContext): RequestIds {
  const requestId = runtime.newGuid()
  const given = headers.get('client-request-id') ?? ''
  return { requestId, clientRequestId: isGuid(given) ? given : requestId, at: runtime.now() }
}

function respond(answer: Answer, exchange: RequestIds): Response {
  const headers = headersOf(exchange)
  if (answer.etag !== undefined) headers.set('etag', answer.etag)
  if (answer.status === 204) return new Response(null, { status: 204, headers })
  if (answer.location !== undefined) headers.set('location', answer.location)
  return Response.json(answer.body, { status: answer.status, headers })
}

function respondRefusal(
  error: GraphError,
  exchange: RequestIds,
  allowed: readonly string[],
): Response {
  const { challenge, status } = refusalRow(error.refusal)
  const headers = headersOf(exchange)
  if (challenge !== undefined) headers.set('www-authenticate', challengeOf(challenge))
  if (status === 405) headers.set('allow', allowed.join(', '))
  if (status === 503) headers.set('retry-after', String(retryAfterSeconds))
  return Response.json(errorEnvelope(error, exchange), { status, headers })
}

/** @see RFC 6750 §3: without credentials there is no error code. */
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

function refusalOf(error: unknown): GraphError {
  if (error instanceof GraphError) return error
  if (error instanceof StorageUnavailableError)
    return new GraphError('storage_unavailable', refusals.storage_unavailable.sentence(), {
      cause: error,
    })
  return new GraphError('unexpected', refusals.unexpected.sentence(), { cause: error })
}

function pathOf(request: Request): string {
  const { pathname } = new URL(request.url)
  try {
    return operationPath(pathname)
  } catch {
    return pathname
  }
}

const routeOf = (template: string): string => template.replaceAll(/\{(\w+)\}/g, ':$1')

const methodsAt = (operations: readonly Operation[], path: string): string[] =>
  operations
    .filter(({ path: template }) =>
      new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )
    .map(({ method }) => method)

import { z } from 'zod'

const envelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ target: z.string().optional() })).nullish(),
    innerError: z.object({ 'request-id': z.string().optional() }).nullish(),
  }),
})

export type RequestLine = { readonly method: string; readonly path: string }

/** A refusal by Microsoft Graph, with its code and its message. */
export class GraphRefusalError extends Error {
  readonly code = 'graph_refusal'
  override readonly name = 'GraphRefusalError'
  readonly status: number
  /** The `code` of Graph's error response, or empty. */
  readonly graphCode: string
  /** The message of the error response. */
  readonly reason: string
  /** The properties that caused the refusal, as far as the response names them. */
  readonly targets: readonly string[]
  /** ID of this request in the logs of the directory. */
  readonly requestId: string | undefined

  constructor({ method, path }: RequestLine, status: number, body: unknown) {
    const parsed = envelope.safeParse(body)
    const { code = '', message = 'no reason', details } = parsed.data?.error ?? {}
    super(
      `${method} ${path} was refused with HTTP status ${status}${code && ` ${code}`}: ${message}`,
    )
    this.status = status
    this.graphCode = code
    this.reason = message
    this.targets = (details ?? []).flatMap(({ target }) => target ?? [])
    this.requestId = parsed.data?.error.innerError?.['request-id']
  }
}

/** Ignores a refusal that says that the change has already been made. */
export function ignoreRefusal(isDone: (refusal: GraphRefusalError) => boolean) {
  return (error: unknown): undefined => {
    if (error instanceof GraphRefusalError && isDone(error)) return undefined
    throw error
  }
}

/** The role that requests need to change applications. */
export const writesApplications = 'Application.ReadWrite.All'

export type GraphRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path after the version, such as `/applications`. */
  readonly path: string
  readonly body?: object
  /** The ETag of the state to change, so that concurrent changes are not overwritten. */
  readonly ifMatch?: string | undefined
  /** The role that the request requires, for the error about a missing role. */
  readonly role?: typeof writesApplications | 'AppRoleAssignment.ReadWrite.All'
  /** The request may be sent again after an unknown result. */
  readonly repeatable?: boolean
  /** The directory may not show a new object to this request yet. */
  readonly expectsLag?: boolean
}

export type GraphAnswer = { readonly body: unknown; readonly etag: string | undefined }

/** The directory that a plan is read from and applied to, over the network or within the identity provider. */
export interface Graph {
  /** How many changes one request can contain; default 1. */
  readonly changesPerRequest?: number
  /** @throws {GraphRefusalError} graph_refusal when the directory refuses the request. */
  send(request: GraphRequest): Promise<GraphAnswer>
  /** All objects of a list. */
  list<One>(path: string, schema: z.ZodType<One>): Promise<One[]>
  /** The pages of a list, each loaded on demand. */
  pages<One>(path: string, schema: z.ZodType<One>): AsyncGenerator<One[]>
}

/**
 * Validates a response of the directory.
 *
 * @throws {Error} with the place of the fault. The message never quotes the response, which may contain a secret.
 */
export function parseAnswer<One>(
  { method, path }: RequestLine,
  schema: z.ZodType<One>,
  body: unknown,
): One {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const places = result.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new Error(`The response to ${method} ${path} has an unexpected form: ${places}`)
}

import { z } from 'zod'

const envelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ target: z.string().optional() })).nullish(),
    innerError: z.object({ 'request-id': z.string().optional() }).nullish(),
  }),
})

/** Method and path of a Graph request. */
export type RequestLine = { readonly method: string; readonly path: string }

/** A refusal of Microsoft Graph, with its own code and message. */
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

/** Ignores a refusal that means that the change exists already. */
export function ignoreRefusal(isDone: (refusal: GraphRefusalError) => boolean) {
  return (error: unknown): undefined => {
    if (error instanceof GraphRefusalError && isDone(error)) return undefined
    throw error
  }
}

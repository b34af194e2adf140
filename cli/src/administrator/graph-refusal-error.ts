import { z } from 'zod'

const envelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    innerError: z.object({ 'request-id': z.string().optional() }).nullish(),
  }),
})

/** What a Graph request asks for, as a person would write it. */
export type RequestLine = { readonly method: string; readonly path: string }

/** A refusal of Microsoft Graph, in its own words. */
export class GraphRefusalError extends Error {
  readonly code = 'graph_refusal'
  override readonly name = 'GraphRefusalError'
  readonly status: number
  /** The `code` of Graph's error envelope, or empty when the answer has none. */
  readonly graphCode: string
  /** The sentence of the envelope. */
  readonly reason: string
  /** Names this request in the logs of the directory. */
  readonly requestId: string | undefined

  constructor({ method, path }: RequestLine, status: number, body: unknown) {
    const parsed = envelope.safeParse(body)
    const { code = '', message = 'no reason' } = parsed.data?.error ?? {}
    super(
      `${method} ${path} was refused with HTTP status ${status}${code && ` ${code}`}: ${message}`,
    )
    this.status = status
    this.graphCode = code
    this.reason = message
    this.requestId = parsed.data?.error.innerError?.['request-id']
  }
}

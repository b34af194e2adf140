import type { z } from 'zod'
import type { RequestLine } from './graph-refusal-error.ts'

/** The role of requests that change applications. */
export const writesApplications = 'Application.ReadWrite.All'

/** One request to Microsoft Graph. */
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

/** The directory, as reading and applying use it: over the network, or within the identity provider. */
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
 * Validates a response.
 *
 * @throws {Error} with the place of the fault. The message never quotes the response, which may
 * contain a secret.
 */
export function parseAnswer<One>(
  { method, path }: RequestLine,
  schema: z.ZodType<One>,
  body: unknown,
): One {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const places = result.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new Error(`The answer to ${method} ${path} has an unexpected form: ${places}`)
}

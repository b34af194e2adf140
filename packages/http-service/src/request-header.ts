import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** Node's request and response. A test without a socket has neither. */
export type ServerEnv = { Bindings: Partial<HttpBindings> }

/**
 * Reads a header field from Node's request when there is one. Building `Headers` from all fields costs
 * more than reading a whole form.
 */
export function headerOf({ req, env }: Context<ServerEnv>, name: string): string | undefined {
  const headers = env?.incoming?.headers
  if (headers === undefined) return req.header(name)
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

/** Finds a repeated header field. Node drops repetitions of some fields, such as a second credential. */
export function repeatedHeader(
  { env }: Context<ServerEnv>,
  names: ReadonlySet<string>,
): string | undefined {
  const rawHeaders = env?.incoming?.rawHeaders ?? []
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!names.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}
